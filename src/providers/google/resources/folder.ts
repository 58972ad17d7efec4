import { diagnostic } from '../../../core/codes.ts';
import type { Diagnostic } from '../../../core/diagnostics.ts';
import { diffFields } from '../../../core/diff.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ChangeContext, FieldRule, Observation } from '../../../core/resource.ts';
import { display } from '../../../core/value.ts';
import type { Target } from '../../lifecycle-provider.ts';
import { parentField, refuseWildcards, treeField, undeleteField, wasField } from '../common-inputs.ts';
import { type ApiRequest, defineResource, type Foreign, nameSegments } from '../define-resource.ts';
import { present, textAt, textField } from '../inputs.ts';
import {
  ABSENT,
  etagOf,
  found,
  isActive,
  isInsidePending,
  knownPlace,
  placeUnknown,
  purgeTimeOf,
  stateOf,
  text,
  unreadable,
} from '../observing.ts';
import { type Answer, listAnswer, type Reads } from '../reads.ts';
import { FOLDER, listOf } from '../result-shapes.ts';
import { folderNameFormat } from '../validation.ts';
import { folderNameTaken, onFolderRefused, wayBetweenNames } from './folder-clash.ts';
import { ambiguousFolder, formerFolder, halfWayFolder } from './folder-former.ts';
import { inParent, projectUrn } from './project.ts';

const URN = 'google:cloudresourcemanager:folder:';
const PAGE_SIZE = '300';
const RETENTION_DAYS = 30;
const FIELDS: Readonly<Record<string, FieldRule>> = { parent: 'movable', display_name: 'mutable' };

const nameField = textField('display_name', {
  aliases: ['displayName'],
  required: true,
  isStatic: true,
  format: folderNameFormat,
});

export function folderUrn(parent: string, displayName: string): string {
  return `${URN}${parent}/${displayName}`;
}

/** What a folder's URN says of where it is: the declared parent, or that of a folder of the playbook, and its name. */
export function folderTail(urn: string): string {
  return urn.slice(URN.length);
}

export const folder = defineResource({
  type: 'folder',
  service: 'cloudresourcemanager',
  fields: FIELDS,
  placeKey: 'parent',
  traits: { protectedByDefault: true, takesContents: false, isContainer: true, endsWithContainer: false },
  actions: [
    {
      name: 'cloudresourcemanager.folders.ensure',
      kind: 'ensure',
      converge: 'ensure_folder',
      result: FOLDER,
      input: [parentField, nameField, treeField, wasField, undeleteField],
      declare: ({ parent, display_name, organization, was, undelete }) => ({
        desired: present({ parent, display_name }),
        options: present({ organization, was, undelete }),
      }),
    },
    {
      name: 'cloudresourcemanager.folders.delete',
      kind: 'delete',
      converge: 'destroy',
      result: FOLDER,
      input: [parentField, nameField, treeField],
      check: refuseWildcards(['parent', 'display_name']),
      declare: ({ parent, display_name, organization }) => ({
        desired: present({ parent, display_name }),
        options: present({ organization }),
      }),
    },
    {
      name: 'cloudresourcemanager.folders.list',
      kind: 'read',
      converge: 'single',
      result: listOf('folders', FOLDER),
      input: [parentField, treeField],
      declare: ({ parent, organization }) => ({ desired: present({ parent }), options: present({ organization }) }),
      request: ({ parent }) => ({
        service: 'crm',
        method: 'GET',
        path: 'folders',
        query: { parent: String(display(parent ?? null)), pageSize: PAGE_SIZE },
      }),
      read: async ({ parent }, reads) => listAnswer('folders', await reads.foldersIn(String(parent))),
    },
  ],
  urn: (desired) =>
    typeof desired['parent'] === 'string' ? folderUrn(desired['parent'], textAt(desired, 'display_name')) : null,
  batchKey: () => null,
  requests,
  fromForeign,
  containers: inOuterFolder,
  removal: (desired) => ({
    action: 'google.cloudresourcemanager.folders.delete',
    input: { parent: text(desired, 'parent'), display_name: text(desired, 'display_name') },
  }),
  permissions: {
    create: ['resourcemanager.folders.create'],
    update: ['resourcemanager.folders.update', 'resourcemanager.folders.move'],
    delete: ['resourcemanager.folders.delete'],
    read: ['resourcemanager.folders.get', 'resourcemanager.folders.list'],
  },
  retention: { days: RETENTION_DAYS, undelete: true },
  observe,
  onRefused: onFolderRefused,
  passesWhenFresh: ['FOLDER_NOT_EMPTY'],
});

function requests({ change, declaration, desired, observation }: ChangeContext): readonly ApiRequest[] {
  const name = nameSegments(observation?.id ?? 'folders/<resolved>');
  const parent = display(desired['parent'] ?? null);
  const displayName = display(desired['display_name'] ?? null);
  if (change === 'create') return [{ service: 'crm', method: 'POST', path: 'folders', body: { parent, displayName } }];
  if (change === 'delete') return [{ service: 'crm', method: 'DELETE', path: name }];
  const diff = diffFields(desired, observation?.actual ?? {}, declaration.fields);
  const rename: ApiRequest = {
    service: 'crm',
    method: 'PATCH',
    path: name,
    query: { updateMask: 'displayName' },
    body: { displayName },
  };
  const move: ApiRequest = {
    service: 'crm',
    method: 'POST',
    path: `${name}:move`,
    body: { destinationParent: parent },
  };
  const undelete: ApiRequest = { service: 'crm', method: 'POST', path: `${name}:undelete`, body: {} };
  const changes = [...('display_name' in diff ? [rename] : []), ...('parent' in diff ? [move] : [])];
  return [
    ...(observation?.first === 'parent' ? changes.reverse() : changes),
    ...(change === 'undelete' ? [undelete] : []),
  ];
}

export function normalizeFolder(resource: JsonObject): JsonObject {
  return { parent: text(resource, 'parent'), display_name: text(resource, 'displayName') };
}

async function observe(target: Target, reads: Reads): Promise<Observation> {
  const parent = knownPlace(target, 'parent');
  const name = textAt(target.desired, 'display_name');
  if (parent === null && !isInsidePending(target)) return placeUnknown(target, 'parent');
  if (parent !== null) {
    const listed = await reads.foldersIn(parent);
    if (listed.kind === 'failed') return unreadable(listed, target);
    const matches = listed.value.filter((item) => isActive(item) && text(item, 'displayName') === name);
    const [match] = matches;
    if (matches.length > 1) return ambiguousFolder(target, matches);
    if (match !== undefined) return (await recordedInstead(match, target, reads)) ?? (await see(match, target, reads));
  }
  const former = await formerFolder(target, reads);
  if (former !== null) return 'unclear' in former ? former.unclear : see(former.folder, target, reads);
  return (await observeRecorded(target, reads)) ?? (await halfWayFolder(target, reads)) ?? ABSENT;
}

/** What the log knows by its id, where that is there and this is not it: it has another name now, and this one is taken. */
async function recordedInstead(match: JsonObject, target: Target, reads: Reads): Promise<Observation | null> {
  if (target.resourceId === null || target.resourceId === text(match, 'name')) return null;
  const recorded = await observeRecorded(target, reads);
  if (recorded?.kind !== 'present' || target.forDelete) return recorded;
  const taken = folderNameTaken(text(match, 'name'), text(match, 'parent'), text(match, 'displayName'));
  return { ...recorded, blockers: [...recorded.blockers, taken] };
}

/** The folder by the id that the log knows it by; one that is deleted counts only where it is to be undeleted. */
async function observeRecorded(target: Target, reads: Reads): Promise<Observation | null> {
  if (target.resourceId === null || !target.resourceId.startsWith('folders/')) return null;
  const answer = await reads.folder(target.resourceId);
  if (answer.kind === 'failed')
    return answer.status === 403 || answer.status === 404 ? null : unreadable(answer, target);
  const counts = isActive(answer.value) || (!target.forDelete && target.declaration.options['undelete'] === true);
  return counts ? see(answer.value, target, reads) : null;
}

async function see(resource: JsonObject, target: Target, reads: Reads): Promise<Observation> {
  const way = target.forDelete ? {} : await wayBetweenNames(resource, target, reads);
  return found(resource, {
    id: text(resource, 'name'),
    byName: true,
    actual: normalizeFolder(resource),
    etag: etagOf(resource),
    state: stateOf(resource),
    purgeTime: purgeTimeOf(resource, RETENTION_DAYS),
    blockers: target.forDelete ? await contents(text(resource, 'name'), target, reads) : [],
    ...way,
  });
}

/** What is inside and keeps the folder from being deleted; each with the URN under which a playbook would declare it. */
async function contents(name: string, target: Target, reads: Reads): Promise<readonly Diagnostic[]> {
  const [folders, projects] = await Promise.all([reads.foldersIn(name), reads.projectsIn(name)]);
  const own = target.declaration.urn;
  const inside = own === null ? name : folderTail(own);
  return [
    ...blocking(folders, target, (item) => ({
      urn: folderUrn(inside, text(item, 'displayName')),
      what: `the folder "${text(item, 'displayName')}" (${text(item, 'name')})`,
    })),
    ...blocking(projects, target, (item) => ({
      urn: projectUrn(text(item, 'projectId')),
      what: `the project ${text(item, 'projectId')}`,
    })),
  ];
}

function blocking(
  answer: Answer<readonly JsonObject[]>,
  target: Target,
  say: (item: JsonObject) => { readonly urn: string; readonly what: string },
): readonly Diagnostic[] {
  const { address } = target.declaration;
  if (answer.kind === 'failed') {
    return [
      diagnostic('FOLDER_NOT_EMPTY', `What is inside the folder can't be listed: ${answer.why.detail}`, {
        address,
        severity: 'warning',
      }),
    ];
  }
  return answer.value.filter(isActive).map((item) => {
    const { urn, what } = say(item);
    return diagnostic('FOLDER_NOT_EMPTY', `Inside the folder is ${what}.`, {
      address,
      urn,
      hint: 'Delete or move what is inside first.',
    });
  });
}

/** The outer folder stands in the URN: by its own place and name, or by its id. */
function inOuterFolder(urn: string, desired: JsonObject): readonly string[] {
  const tail = folderTail(urn);
  const outer = tail.slice(0, tail.lastIndexOf('/'));
  const isId = outer.split('/').length <= 2;
  return isId ? inParent(urn, { parent: outer }) : [`${URN}${outer}`, ...inParent(urn, desired)];
}

function fromForeign(urn: string, desired: JsonObject): Foreign {
  if (!urn.startsWith(URN)) return null;
  const tail = folderTail(urn);
  const cut = tail.lastIndexOf('/');
  const parent = text(desired, 'parent') || tail.slice(0, cut);
  const displayName = text(desired, 'display_name') || text(desired, 'displayName') || tail.slice(cut + 1);
  return { urn, desired: { parent, display_name: displayName } };
}
