import { ApiError, invalidArgument } from '../wire/errors.ts';
import { type Json, type JsonObject, numberAt, objectsAt, stringAt } from '../wire/json.ts';
import type { StoredPolicy } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { acceptBindings, hideCondition } from './bindings.ts';
import { decodeEtag, etagOf, quoteEtag } from './etag.ts';

const VERSIONS = [0, 1, 3];
const MASK_FIELDS = new Set(['bindings', 'etag', 'auditConfigs', 'version']);

/** The policy as a reader of `requestedVersion` sees it; `resource` is the canonical name. */
export function readPolicy(world: World, resource: string, requestedVersion: number): Json {
  if (!VERSIONS.includes(requestedVersion))
    throw invalidArgument('Invalid requested policy version; valid versions are 0, 1 and 3.');
  const policy = world.state.policies[resource];
  const etag = etagOf(policy?.micros).toString('base64');
  if (policy === undefined) return { etag };
  const bindings = requestedVersion < 3 ? policy.bindings.map(hideCondition) : policy.bindings;
  return {
    version: bindings.some((binding) => binding.condition !== undefined) ? 3 : 1,
    etag,
    ...(bindings.length > 0 ? { bindings: bindings.map((binding) => ({ ...binding })) } : {}),
    ...(policy.auditConfigs.length > 0 ? { auditConfigs: policy.auditConfigs } : {}),
  };
}

/** setIamPolicy: answers the stored policy with its new etag. */
export function writePolicy(world: World, resource: string, sent: JsonObject, updateMask: string | undefined): Json {
  const mask = parseMask(updateMask);
  const current = world.state.policies[resource];
  const version = numberAt(sent, 'version') ?? 0;
  if (!VERSIONS.includes(version)) throw invalidArgument('Invalid policy version; valid versions are 0, 1 and 3.');
  const etag = mask.has('etag') ? stringAt(sent, 'etag') : undefined;
  if (etag !== undefined && etag !== '') {
    checkEtag(etag, current);
    checkKeepsConditions(current, version, mask);
  }
  const bindings = mask.has('bindings') ? newBindings(world, resource, sent, version) : (current?.bindings ?? []);
  const auditConfigs = mask.has('auditConfigs') ? objectsAt(sent, 'auditConfigs') : (current?.auditConfigs ?? []);
  if (world.knobs.rejectEmptyProjectPolicy === true && resource.startsWith('projects/') && bindings.length === 0) {
    throw invalidArgument('Policy must contain at least one binding.');
  }
  world.state.policies[resource] = { bindings, auditConfigs, micros: world.nextMicros() };
  return readPolicy(world, resource, 3);
}

function newBindings(world: World, resource: string, sent: JsonObject, version: number): StoredPolicy['bindings'] {
  const bindings = acceptBindings(sent, resource, world.knobs);
  if (version < 3 && bindings.some((binding) => binding.condition !== undefined)) {
    throw invalidArgument('Conditional bindings require policy version 3.');
  }
  return bindings;
}

function parseMask(updateMask: string | undefined): ReadonlySet<string> {
  if (updateMask === undefined || updateMask === '') return new Set(['bindings', 'etag']);
  const fields = updateMask
    .split(',')
    .map((field) => (field.trim() === 'audit_configs' ? 'auditConfigs' : field.trim()));
  const unknown = fields.find((field) => !MASK_FIELDS.has(field));
  if (unknown !== undefined) throw invalidArgument(`Invalid update mask path: ${unknown}`);
  return new Set(fields);
}

function checkEtag(etag: string, current: StoredPolicy | undefined): void {
  const sent = decodeEtag(etag);
  const stored = etagOf(current?.micros);
  if (sent.equals(stored)) return;
  throw new ApiError(
    'ABORTED',
    'There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff. ' +
      `The request's ETag '${quoteEtag(sent)}' did not match the current policy's ETag '${quoteEtag(stored)}'.`,
  );
}

/** With an etag, a writer that does not speak version 3 may not drop conditions; a blind write may. */
function checkKeepsConditions(current: StoredPolicy | undefined, version: number, mask: ReadonlySet<string>): void {
  const conditional = current?.bindings.some((binding) => binding.condition !== undefined) === true;
  if (conditional && version < 3 && mask.has('bindings')) {
    throw invalidArgument('The policy has conditional bindings: it can only be changed with policy version 3.');
  }
}
