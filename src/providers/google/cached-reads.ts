import { diagnostic } from '../../core/codes.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiCall, ApiResult, GoogleClient } from './client.ts';
import { nameSegments, segment } from './define-resource.ts';
import { stateOf, text } from './observing.ts';
import type { Answer, Reads } from './reads.ts';
import { policyRead } from './resources/binding.ts';
import { hasShape, type Shape } from './wire.ts';

const FOLDER_PAGE = '300';
const PROJECT_PAGE = '500';
const BILLING_PAGE = '100';
const SERVICE_PAGE = '200';
const LIEN_PAGE = '100';

type Listed = Answer<readonly JsonObject[]>;
type Named = Answer<ReadonlyMap<string, JsonObject>>;

interface ListCall {
  readonly call: Pick<ApiCall, 'service' | 'path'> & { readonly query: Readonly<Record<string, string>> };
  /** The member that holds a page's items. */
  readonly items: string;
  readonly shape: Shape;
}

/** How reads are sent. */
export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** What is read was made in this run: refusals that may be propagation are waited out. */
  readonly fresh?: boolean;
  /** Whether a project is looked at only to see whether it is being deleted; else what was read anyway has to tell. */
  readonly looksAtProjects?: boolean;
}

/** Opens the reads of one phase: whatever several callers ask for is sent once, concurrent callers share the answer. */
export function openReads(client: GoogleClient, options: ReadOptions = {}): Reads {
  const get = (shape: Shape, call: Pick<ApiCall, 'service' | 'path'>) =>
    single(client, options, shape, { ...call, method: 'GET' });
  const list = (call: ListCall) => allPages(client, options, call);
  const project = once(async (projectId: string) =>
    sameProject(await get('project', { service: 'crm', path: `projects/${segment(projectId)}` }), projectId),
  );
  const projectLists: Promise<Listed>[] = [];
  return {
    organization: once((name) => get('organization', { service: 'crm', path: nameSegments(name) })),
    folder: once((name) => get('folder', { service: 'crm', path: nameSegments(name) })),
    foldersIn: once((parent) =>
      list({
        call: { service: 'crm', path: 'folders', query: { parent, pageSize: FOLDER_PAGE } },
        items: 'folders',
        shape: 'folder',
      }).then((answer) => within(answer, parent)),
    ),
    foldersNamed: once((name) =>
      list({
        call: { service: 'crm', path: 'folders:search', query: { query: searchQuery(name), pageSize: FOLDER_PAGE } },
        items: 'folders',
        shape: 'folder',
      }),
    ),
    project,
    projectState: once(async (projectId) => {
      const listed = (await Promise.all(projectLists)).flatMap((answer) => (answer.kind === 'ok' ? answer.value : []));
      const match = listed.find((item) =>
        [text(item, 'projectId'), text(item, 'name').slice('projects/'.length)].includes(projectId),
      );
      if (match !== undefined) return stateOf(match);
      if (options.looksAtProjects !== true) return null;
      const answer = await project(projectId);
      return answer.kind === 'ok' ? stateOf(answer.value) : null;
    }),
    projectsIn: once((parent) => {
      const listed = list({
        call: { service: 'crm', path: 'projects', query: { parent, pageSize: PROJECT_PAGE, showDeleted: 'true' } },
        items: 'projects',
        shape: 'project',
      }).then((answer) => within(answer, parent));
      projectLists.push(listed);
      return listed;
    }),
    liens: once((parent) =>
      list({
        call: { service: 'crm', path: 'liens', query: { parent, pageSize: LIEN_PAGE } },
        items: 'liens',
        shape: 'lien',
      }),
    ),
    billingAccount: once((name) => get('billingAccount', { service: 'billing', path: nameSegments(name) })),
    billingInfo: once((projectId) =>
      get('billingInfo', { service: 'billing', path: `projects/${segment(projectId)}/billingInfo` }),
    ),
    linkedTo: once(async (account) =>
      linkedBy(
        await list({
          call: { service: 'billing', path: `${nameSegments(account)}/projects`, query: { pageSize: BILLING_PAGE } },
          items: 'projectBillingInfo',
          shape: 'billingInfo',
        }),
        account,
      ),
    ),
    enabledServices: once(async (projectId) =>
      enabled(
        await list({
          call: {
            service: 'serviceusage',
            path: `projects/${segment(projectId)}/services`,
            query: { filter: 'state:ENABLED', pageSize: SERVICE_PAGE },
          },
          items: 'services',
          shape: 'enabledService',
        }),
      ),
    ),
    policy: once((resource) => {
      const { service, method, path, query, body } = policyRead(resource);
      return single(client, options, 'policy', {
        service,
        method,
        path,
        ...(query === undefined ? {} : { query }),
        ...(body === undefined ? {} : { body }),
      });
    }),
  };
}

function once<T>(make: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const made = new Map<string, Promise<T>>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const answer = make(key);
    made.set(key, answer);
    return answer;
  };
}

async function send(
  client: GoogleClient,
  options: ReadOptions,
  call: Omit<ApiCall, 'repeatability'>,
): Promise<Answer<JsonObject>> {
  return answerOf(
    await client.call({
      ...call,
      repeatability: 'read',
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.fresh === true ? { fresh: true } : {}),
    }),
  );
}

function answerOf(result: ApiResult): Answer<JsonObject> {
  if (result.kind === 'ok') return { kind: 'ok', value: result.body };
  if (result.kind === 'refused')
    return { kind: 'failed', status: result.failure.status, why: result.failure.diagnostic };
  return { kind: 'failed', status: null, why: result.diagnostic };
}

async function single(
  client: GoogleClient,
  options: ReadOptions,
  shape: Shape,
  call: Omit<ApiCall, 'repeatability'>,
): Promise<Answer<JsonObject>> {
  const answer = await send(client, options, call);
  return answer.kind === 'ok' && !hasShape(shape, answer.value)
    ? broken(`The answer to ${call.path} is no ${shape}.`)
    : answer;
}

/** All pages; a page may be empty and have a token. A token that comes twice would go on for ever. */
async function allPages(client: GoogleClient, options: ReadOptions, { call, items, shape }: ListCall): Promise<Listed> {
  const found: JsonObject[] = [];
  const tokens = new Set<string>();
  for (let pageToken = ''; ; ) {
    const query = pageToken === '' ? call.query : { ...call.query, pageToken };
    const answer = await send(client, options, { ...call, query, method: 'GET' });
    if (answer.kind === 'failed') return answer;
    const page = pageItems(answer.value[items], shape);
    if (page === null) return broken(`The list of ${items} has entries that are none.`);
    found.push(...page);
    pageToken = text(answer.value, 'nextPageToken');
    if (pageToken === '') return { kind: 'ok', value: found };
    if (tokens.has(pageToken)) return broken(`The list of ${items} came with one page token twice.`);
    tokens.add(pageToken);
  }
}

function pageItems(value: Json | undefined, shape: Shape): readonly JsonObject[] | null {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return null;
  const entries: readonly Json[] = value;
  const objects = entries.filter((item): item is JsonObject => isJsonObject(item) && hasShape(shape, item));
  return objects.length === entries.length ? objects : null;
}

function broken(detail: string): Extract<Answer<never>, { kind: 'failed' }> {
  return { kind: 'failed', status: null, why: diagnostic('INVALID_RESPONSE', detail, { retryable: false }) };
}

function misplaced(detail: string): Extract<Answer<never>, { kind: 'failed' }> {
  return { kind: 'failed', status: null, why: diagnostic('SCOPE_MISMATCH', detail, { retryable: false }) };
}

/** A child that says it lies elsewhere is not one. */
function within(answer: Listed, parent: string): Listed {
  const stranger =
    answer.kind === 'ok' ? answer.value.find((item) => (text(item, 'parent') || parent) !== parent) : undefined;
  return stranger === undefined
    ? answer
    : misplaced(
        `${text(stranger, 'name')} was listed below ${parent} and says it lies in "${text(stranger, 'parent')}".`,
      );
}

function sameProject(answer: Answer<JsonObject>, projectId: string): Answer<JsonObject> {
  if (answer.kind === 'failed' || /^\d+$/.test(projectId) || text(answer.value, 'projectId') === projectId)
    return answer;
  return misplaced(`The project ${projectId} was asked for, and ${text(answer.value, 'projectId')} came back.`);
}

function linkedBy(answer: Listed, account: string): Named {
  if (answer.kind === 'failed') return answer;
  const stranger = answer.value.find((item) => text(item, 'billingAccountName') !== account);
  if (stranger !== undefined)
    return misplaced(
      `${text(stranger, 'projectId')} was listed as linked to ${account} and says ${text(stranger, 'billingAccountName')}.`,
    );
  return { kind: 'ok', value: new Map(answer.value.map((item) => [text(item, 'projectId'), item])) };
}

function enabled(answer: Listed): Named {
  if (answer.kind === 'failed') return answer;
  const active = answer.value.filter((item) => (text(item, 'state') || 'ENABLED') === 'ENABLED');
  return { kind: 'ok', value: new Map(active.map((item) => [text(item, 'name').split('/').at(-1) ?? '', item])) };
}

function searchQuery(displayName: string): string {
  return `state=ACTIVE AND displayName="${displayName.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
