import { denied, requireProject } from '../access.ts';
import { ApiError, fieldIssue, invalidArgument } from '../wire/errors.ts';
import { type Json, stringAt, stringsAt } from '../wire/json.ts';
import { compareText } from '../wire/paging.ts';
import { PAGING, parameter } from '../wire/query-parameters.ts';
import { list, message } from '../wire/request-decoder.ts';
import { type Call, param, type Route } from '../wire/route.ts';
import type { Lien, Project } from '../world/state.ts';
import { crmPage, pagingOf } from './collection.ts';

const LONGEST_TEXT = 200;
const READ = 'resourcemanager.projects.get';
const CHANGE = 'resourcemanager.projects.updateLiens';

function lienJson(lien: Lien): Json {
  return { ...lien };
}

function requireLienProject(call: Call, parent: string | undefined, permission: string): Project {
  const match = /^projects\/([^/]+)$/.exec(parent ?? '');
  if (match?.[1] === undefined) throw invalidArgument('parent must be of the form projects/{project}.');
  return requireProject(call, match[1], permission);
}

/** A lien is visible to whoever sees its project. */
function requireLien(call: Call, permission: string): Lien {
  const name = `liens/${param(call, 'lien')}`;
  const lien = call.world.state.liens[name];
  if (lien === undefined) throw new ApiError('NOT_FOUND', `Lien ${name} not found.`);
  requireLienProject(call, lien.parent, permission);
  return lien;
}

function createLien(call: Call): Json {
  const { world } = call;
  const project = requireLienProject(call, stringAt(call.body, 'parent'), CHANGE);
  const restrictions = stringsAt(call.body, 'restrictions');
  const reason = stringAt(call.body, 'reason') ?? '';
  const origin = stringAt(call.body, 'origin') ?? '';
  if (restrictions.length === 0) throw fieldIssue('restrictions', 'at least one restriction is required');
  if (restrictions.some((restriction) => restriction !== 'resourcemanager.projects.delete')) {
    throw fieldIssue('restrictions', 'only resourcemanager.projects.delete is supported');
  }
  if (reason.length > LONGEST_TEXT || origin.length > LONGEST_TEXT)
    throw fieldIssue('reason', `at most ${LONGEST_TEXT} characters`);
  const name = `liens/p${project.name.slice('projects/'.length)}-l${world.nextUuid().replaceAll('-', '').slice(0, 20)}`;
  const lien: Lien = { name, parent: project.name, restrictions, reason, origin, createTime: world.now() };
  world.state.liens[name] = lien;
  return lienJson(lien);
}

function getLien(call: Call): Json {
  return lienJson(requireLien(call, READ));
}

function listLiens(call: Call): Json {
  const parent = parameter(call.query, 'parent');
  if (parent !== undefined && /^(folders|organizations)\//.test(parent)) throw denied(call, parent, READ);
  const project = requireLienProject(call, parent, READ);
  const liens = Object.values(call.world.state.liens)
    .filter((lien) => lien.parent === project.name)
    .sort((left, right) => compareText(left.name, right.name));
  return crmPage(call, liens, {
    member: 'liens',
    keyOf: (lien) => lien.name,
    toJson: lienJson,
    scope: [project.name],
    ...pagingOf(call),
  });
}

function deleteLien(call: Call): Json {
  const lien = requireLien(call, CHANGE);
  delete call.world.state.liens[lien.name];
  call.world.touch();
  return {};
}

const LIEN = message({
  name: 'string',
  parent: 'string',
  restrictions: list('string'),
  reason: 'string',
  origin: 'string',
  createTime: 'string',
});

function lienRoutesOf(version: 'v1' | 'v3'): readonly Route[] {
  const service = 'cloudresourcemanager' as const;
  const rpc = version === 'v3' ? 'google.cloud.resourcemanager.v3.Liens' : 'google.cloudresourcemanager.v1.Liens';
  const liens = `/${version}/liens`;
  const one = `${liens}/{lien}`;
  return [
    {
      service,
      method: 'POST',
      path: liens,
      rpc: `${rpc}.CreateLien`,
      body: LIEN,
      bodyField: 'lien',
      handle: createLien,
    },
    {
      service,
      method: 'GET',
      path: liens,
      rpc: `${rpc}.ListLiens`,
      query: { parent: 'string', ...PAGING },
      handle: listLiens,
    },
    { service, method: 'GET', path: one, rpc: `${rpc}.GetLien`, handle: getLien },
    { service, method: 'DELETE', path: one, rpc: `${rpc}.DeleteLien`, handle: deleteLien },
  ];
}

export const lienRoutes: readonly Route[] = [...lienRoutesOf('v3'), ...lienRoutesOf('v1')];
