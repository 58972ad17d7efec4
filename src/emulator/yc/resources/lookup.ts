import { ClientFailure, FakeFailure, invalid, notFound, RpcFailure } from '../cli/failures.ts';
import { isWellFormed } from '../world/ids.ts';
import type { KindName, Of, Resource } from '../world/state.ts';
import type { World } from '../world/world.ts';
import { type Call, folderOf } from './command.ts';
import type { Kind } from './kind.ts';

type Target =
  | { readonly by: 'id'; readonly id: string }
  | { readonly by: 'name'; readonly name: string; readonly folderId: string }
  | { readonly by: 'either'; readonly text: string };

/** The resource that a `get` names, as a read shows it. */
export function observed<K extends KindName>(call: Call, kind: Kind<K>): Of<K> {
  return resolve(call, kind, (matches) => call.world.observe(kind.name, matches)[0]);
}

/** The resource that a change names. */
export function changed<K extends KindName>(call: Call, kind: Kind<K>): Of<K> {
  return resolve(call, kind, (matches) => call.world.all(kind.name).find(matches));
}

type Pick<K extends KindName> = (matches: (resource: Resource) => boolean) => Of<K> | undefined;

function resolve<K extends KindName>(call: Call, kind: Kind<K>, pick: Pick<K>): Of<K> {
  const target = targetOf(call, kind);
  const found =
    target.by === 'id'
      ? pickById(kind, target.id, pick)
      : target.by === 'name'
        ? pickByName(call.world, kind, target, pick)
        : pickByEither(call, kind, target.text, pick);
  if (call.world.state.folders[found.folderId]?.forbidden)
    throw new RpcFailure('PermissionDenied', 'Permission denied');
  return found;
}

function targetOf(call: Call, kind: Kind): Target {
  const { flags, operands } = call;
  const [operand, ...others] = operands;
  if (others.length > 0) throw new FakeFailure('several targets in one command are not emulated');
  const id = flags.text('id');
  const name = flags.text('name');
  if ([operand, id, name].filter((given) => given !== undefined).length > 1)
    throw new ClientFailure(`only one of ${kind.noun} id and name can be specified`);
  if (id !== undefined) return { by: 'id', id };
  if (name !== undefined) return { by: 'name', name, folderId: folderOf(call) };
  if (operand !== undefined) return { by: 'either', text: operand };
  throw new ClientFailure(`${kind.noun} id or name must be specified`);
}

/** An id is looked for everywhere, whatever the folder of the call. */
function pickById<K extends KindName>(kind: Kind<K>, id: string, pick: Pick<K>): Of<K> {
  checkId(kind, id);
  const found = pick((resource) => resource.id === id);
  if (found === undefined) throw missing(kind, id);
  return found;
}

function pickByName<K extends KindName>(
  world: World,
  kind: Kind<K>,
  { name, folderId }: { readonly name: string; readonly folderId: string },
  pick: Pick<K>,
): Of<K> {
  world.checkReadable(folderId);
  const found = pick((resource) => resource.folderId === folderId && resource.name === name);
  if (found === undefined) throw new ClientFailure(`${kind.noun} with name "${name}" not found`, true);
  return found;
}

function pickByEither<K extends KindName>(call: Call, kind: Kind<K>, text: string, pick: Pick<K>): Of<K> {
  const byId = pick((resource) => resource.id === text);
  if (byId !== undefined) return byId;
  if (isWellFormed(text)) throw missing(kind, text);
  const folderId = folderOf(call);
  call.world.checkReadable(folderId);
  const byName = pick((resource) => resource.folderId === folderId && resource.name === text);
  if (byName !== undefined) return byName;
  const what = call.world.knobs.dialect === '0.x' ? 'name' : 'id or name';
  throw new ClientFailure(`${kind.noun} with ${what} "${text}" not found`, true);
}

/** A dependency by its id, or by its name in the folder of the call. */
export function dependency<K extends KindName>(
  call: Call,
  kind: Kind<K>,
  { id, name }: { readonly id: string | undefined; readonly name: string | undefined },
): Of<K> {
  const { world } = call;
  const pick: Pick<K> = (matches) => world.all(kind.name).find(matches);
  if (id !== undefined) return pickById(kind, id, pick);
  if (name !== undefined) return pickByName(world, kind, { name, folderId: folderOf(call) }, pick);
  throw new ClientFailure(`${kind.noun} id or name must be specified`);
}

function checkId(kind: Kind, id: string): void {
  if (!isWellFormed(id)) throw invalid(`invalid ${kind.noun} id '${id}'`);
}

function missing(kind: Kind, id: string): RpcFailure {
  return notFound(`${kind.title} ${kind.idText(id)} not found`);
}
