import { ClientFailure, invalid, notFound, RpcFailure } from '../cli/failures.ts';
import { message } from '../cli/json.ts';
import { isWellFormed } from '../world/ids.ts';
import type { Folder, Image } from '../world/state.ts';
import type { Call, Command } from './command.ts';
import { folderOf } from './command.ts';
import { TARGET } from './define.ts';

export const folderCommands: readonly Command[] = [
  {
    words: 'resource-manager folder get',
    operands: '<NAME|ID>',
    flags: TARGET,
    run(call) {
      const folder = findFolder(call);
      if (folder.forbidden) throw new RpcFailure('PermissionDenied', 'Permission denied');
      return { output: { kind: 'object', value: folderJson(folder) } };
    },
  },
];

function findFolder({ world, flags, operands }: Call): Folder {
  const id = flags.text('id');
  const text = id ?? flags.text('name') ?? operands[0];
  if (text === undefined) throw new ClientFailure('folder id or name must be specified');
  const folders = Object.values(world.state.folders);
  const found = folders.find((folder) => folder.id === text || (id === undefined && folder.name === text));
  if (found !== undefined) return found;
  if (id !== undefined && !isWellFormed(text)) throw invalid(`invalid folder id '${text}'`);
  if (isWellFormed(text)) throw notFound(`Folder with id ${text} not found`);
  throw new ClientFailure(`folder with id or name "${text}" not found`, true);
}

function folderJson(folder: Folder) {
  return message({
    id: folder.id,
    cloud_id: folder.cloudId,
    created_at: folder.createdAt,
    name: folder.name,
    status: folder.status,
  });
}

export const imageCommands: readonly Command[] = [
  {
    words: 'compute image get',
    operands: '<NAME|ID>',
    flags: TARGET,
    run: (call) => ({ output: { kind: 'object', value: imageJson(findImage(call)) } }),
  },
];

function findImage(call: Call): Image {
  const { world, flags, operands } = call;
  const id = flags.text('id');
  const text = id ?? flags.text('name') ?? operands[0];
  if (text === undefined) throw new ClientFailure('image id or name must be specified');
  const byId = world.image(text);
  if (byId !== undefined) return byId;
  if (id !== undefined && !isWellFormed(text)) throw invalid(`invalid image id '${text}'`);
  if (isWellFormed(text)) throw notFound(`Image ${text} not found`);
  const folderId = folderOf(call);
  const found = Object.values(world.state.images).find((image) => image.name === text && image.folderId === folderId);
  if (found === undefined) throw new ClientFailure(`image with name "${text}" not found`, true);
  return found;
}

function imageJson(image: Image) {
  return message({
    id: image.id,
    folder_id: image.folderId,
    created_at: image.createdAt,
    name: image.name,
    family: image.family,
    storage_size: String(2 * 2 ** 30),
    min_disk_size: String(image.minDiskGib * 2 ** 30),
    status: 'READY',
    os: { type: 'LINUX' },
  });
}
