import { diagnostic } from '../../../core/codes.ts';
import type { Diagnostic } from '../../../core/diagnostics.ts';
import { diffFields } from '../../../core/diff.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ChangeContext, FieldRule, Observation } from '../../../core/resource.ts';
import { display } from '../../../core/value.ts';
import type { Target } from '../../lifecycle-provider.ts';
import {
  labelsField,
  newProjectIdField,
  parentField,
  projectIdField,
  refuseWildcards,
  treeField,
  undeleteField,
} from '../common-inputs.ts';
import { type ApiRequest, defineResource, type Foreign, segment } from '../define-resource.ts';
import { booleanField, objectOf, present, textAt, textField } from '../inputs.ts';
import {
  ABSENT,
  etagOf,
  found,
  invisible,
  isActive,
  isInsidePending,
  knownPlace,
  purgeTimeOf,
  stateOf,
  text,
} from '../observing.ts';
import { PROJECT_URN as URN } from '../project-names.ts';
import type { Reads } from '../reads.ts';
import { PROJECT } from '../result-shapes.ts';
import { projectNameFormat } from '../validation.ts';
import { onProjectRefused, PROJECT_RETENTION_DAYS } from './project-clash.ts';

const FIELDS: Readonly<Record<string, FieldRule>> = {
  project_id: 'identity',
  parent: 'movable',
  display_name: 'mutable',
  labels: 'merged',
};

export function projectUrn(projectId: string): string {
  return `${URN}${projectId}`;
}

/** What lies in a project: services, the billing link. */
export function inProject(_urn: string, desired: JsonObject): readonly string[] {
  return [projectUrn(text(desired, 'project_id'))];
}

/** Of what is recorded only a folder can be a container that someone owns. */
export function inParent(_urn: string, desired: JsonObject): readonly string[] {
  return text(desired, 'parent').startsWith('folders/') ? [text(desired, 'parent')] : [];
}

export const project = defineResource({
  type: 'project',
  service: 'cloudresourcemanager',
  fields: FIELDS,
  fieldsFor: (options) => (options['labels_authoritative'] === true ? { ...FIELDS, labels: 'mutable' } : FIELDS),
  placeKey: 'parent',
  traits: { protectedByDefault: true, takesContents: true, isContainer: true, endsWithContainer: false },
  actions: [
    {
      name: 'cloudresourcemanager.projects.ensure',
      kind: 'ensure',
      converge: 'ensure_project',
      result: PROJECT,
      input: [
        newProjectIdField,
        parentField,
        textField('display_name', { aliases: ['displayName'], format: projectNameFormat }),
        labelsField,
        booleanField('labels_authoritative'),
        undeleteField,
        treeField,
      ],
      declare: ({ project_id, parent, display_name, labels, labels_authoritative, undelete, organization }) => ({
        desired: present({ project_id, parent, display_name, labels }),
        options: present({ labels_authoritative, undelete, organization }),
      }),
    },
    {
      name: 'cloudresourcemanager.projects.delete',
      kind: 'delete',
      converge: 'destroy',
      result: PROJECT,
      input: [projectIdField],
      check: refuseWildcards(['project_id']),
      declare: ({ project_id }) => ({ desired: present({ project_id }), options: {} }),
    },
    {
      name: 'cloudresourcemanager.projects.describe',
      kind: 'read',
      converge: 'single',
      result: PROJECT,
      input: [projectIdField],
      declare: ({ project_id }) => ({ desired: present({ project_id }), options: {} }),
      request: ({ project_id }) => ({ service: 'crm', method: 'GET', path: `projects/${segment(project_id)}` }),
      read: (desired, reads) => reads.project(textAt(desired, 'project_id')),
    },
  ],
  urn: (desired) => projectUrn(textAt(desired, 'project_id')),
  beforeProject: URN,
  batchKey: () => null,
  requests,
  fromForeign,
  containers: inParent,
  removal: (desired) => ({
    action: 'google.cloudresourcemanager.projects.delete',
    input: { project_id: text(desired, 'project_id') },
  }),
  permissions: {
    create: ['resourcemanager.projects.create'],
    update: ['resourcemanager.projects.update', 'resourcemanager.projects.move'],
    delete: ['resourcemanager.projects.delete'],
    read: ['resourcemanager.projects.get', 'resourcemanager.projects.list'],
  },
  retention: { days: PROJECT_RETENTION_DAYS, undelete: true },
  observe,
  onRefused: onProjectRefused,
  // A project that is asked for by its number has it in its name.
  answerProblem: ({ desired }, resource) =>
    [text(resource, 'projectId'), text(resource, 'name').slice('projects/'.length)].includes(
      textAt(desired, 'project_id'),
    )
      ? null
      : `The answer is about "${text(resource, 'projectId')}", not about ${textAt(desired, 'project_id')}.`,
});

function requests(context: ChangeContext): readonly ApiRequest[] {
  const { change, declaration, desired, observation } = context;
  const path = `projects/${segment(desired['project_id'])}`;
  if (change === 'create') return [{ service: 'crm', method: 'POST', path: 'projects', body: creation(context) }];
  if (change === 'delete') return [{ service: 'crm', method: 'DELETE', path }];
  const diff = diffFields(desired, observation?.actual ?? {}, declaration.fields);
  const patch = changedFields(context, Object.keys(diff), path);
  const move: ApiRequest = {
    service: 'crm',
    method: 'POST',
    path: `${path}:move`,
    body: { destinationParent: display(desired['parent'] ?? null) },
  };
  const undelete: ApiRequest = { service: 'crm', method: 'POST', path: `${path}:undelete`, body: {} };
  return [
    ...(patch === null ? [] : [patch]),
    ...('parent' in diff ? [move] : []),
    ...(change === 'undelete' ? [undelete] : []),
  ];
}

/** The body of a create: a project without a display name is called by its id, as gcloud does. */
function creation({ desired }: ChangeContext): JsonObject {
  const { project_id, parent, display_name, labels } = desired;
  const body = {
    projectId: display(project_id ?? null),
    displayName: display(display_name ?? project_id ?? null),
    parent: display(parent ?? null),
  };
  return labels === undefined ? body : { ...body, labels: display(labels) };
}

/** PATCH of just what differs; labels of others are sent back with ours, since the field is replaced whole. */
function changedFields(
  { declaration, desired, observation }: ChangeContext,
  differing: readonly string[],
  path: string,
): ApiRequest | null {
  const fields = differing.filter((field) => field === 'display_name' || field === 'labels');
  if (fields.length === 0) return null;
  const name = fields.includes('display_name') ? { displayName: display(desired['display_name'] ?? null) } : {};
  const ours = objectOf(display(desired['labels'] ?? {}));
  const theirs = declaration.fields['labels'] === 'merged' ? objectOf(observation?.actual['labels']) : {};
  const withLabels = fields.includes('labels');
  const updateMask = fields.map((field) => (field === 'labels' ? 'labels' : 'displayName')).join(',');
  return {
    service: 'crm',
    method: 'PATCH',
    path,
    query: { updateMask },
    body: { ...name, ...(withLabels ? { labels: { ...theirs, ...ours } } : {}) },
    logical: {
      service: 'crm',
      method: 'PATCH',
      path,
      updateMask,
      body: { ...name, ...(withLabels ? { labels: ours } : {}) },
    },
  };
}

export function normalizeProject(resource: JsonObject): JsonObject {
  return {
    project_id: text(resource, 'projectId'),
    parent: text(resource, 'parent'),
    display_name: text(resource, 'displayName'),
    labels: objectOf(resource['labels']),
  };
}

async function observe(target: Target, reads: Reads): Promise<Observation> {
  const projectId = textAt(target.desired, 'project_id');
  const parent = isInsidePending(target) ? null : knownPlace(target, 'parent');
  const listed = parent === null ? null : await reads.projectsIn(parent);
  const match = listed?.kind === 'ok' ? byProjectId(listed.value).get(projectId) : undefined;
  if (match !== undefined) return see(match, target, reads);
  const answer = await reads.project(projectId);
  return answer.kind === 'ok'
    ? see(answer.value, target, reads)
    : invisible(answer, target, `The project ${projectId}`);
}

const indexes = new WeakMap<readonly JsonObject[], ReadonlyMap<string, JsonObject>>();

/** A list is shared by all steps of a phase, which may be thousands under one parent; so is its index. */
function byProjectId(list: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const known = indexes.get(list);
  if (known !== undefined) return known;
  const index = new Map(list.map((item) => [text(item, 'projectId'), item]));
  indexes.set(list, index);
  return index;
}

async function see(resource: JsonObject, target: Target, reads: Reads): Promise<Observation> {
  if (target.forDelete && !isActive(resource)) return ABSENT;
  return found(resource, {
    id: text(resource, 'name'),
    actual: normalizeProject(resource),
    etag: etagOf(resource),
    state: stateOf(resource),
    purgeTime: purgeTimeOf(resource, PROJECT_RETENTION_DAYS),
    blockers: target.forDelete ? await obstacles(resource, target, reads) : [],
  });
}

/** Liens block a deletion; a billing link is only said, since the deletion cuts it. */
async function obstacles(resource: JsonObject, target: Target, reads: Reads): Promise<readonly Diagnostic[]> {
  const projectId = text(resource, 'projectId');
  const { address } = target.declaration;
  const [liens, billing] = await Promise.all([reads.liens(text(resource, 'name')), reads.billingInfo(projectId)]);
  const blocking = (liens.kind === 'ok' ? liens.value : []).map((lien) =>
    diagnostic(
      'LIEN',
      `${text(lien, 'name')} of "${text(lien, 'origin')}" keeps the project from being deleted: ${text(lien, 'reason')}`,
      {
        address,
        hint: `Remove it first: gcloud alpha resource-manager liens delete ${text(lien, 'name').replace('liens/', '')}`,
      },
    ),
  );
  const unseen = liens.kind === 'failed' ? [liensUnseen(liens.why.detail, address)] : [];
  const account = billing.kind === 'ok' ? text(billing.value, 'billingAccountName') : '';
  if (account === '') return [...blocking, ...unseen];
  return [
    ...blocking,
    ...unseen,
    diagnostic(
      'BILLING_LINKED',
      `The project is linked to ${account}; the deletion cuts that link and an undelete does not bring it back.`,
      { address },
    ),
  ];
}

function liensUnseen(why: string, address: string): Diagnostic {
  return diagnostic('LIEN', `Whether a lien keeps the project can't be told: ${why}`, { address, severity: 'warning' });
}

function fromForeign(urn: string, desired: JsonObject): Foreign {
  if (!urn.startsWith(URN)) return null;
  const displayName = text(desired, 'display_name') || text(desired, 'displayName');
  const labels = objectOf(desired['labels']);
  return {
    urn,
    desired: {
      project_id: text(desired, 'project_id') || text(desired, 'projectId') || urn.slice(URN.length),
      ...(text(desired, 'parent') === '' ? {} : { parent: text(desired, 'parent') }),
      ...(displayName === '' ? {} : { display_name: displayName }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    },
  };
}
