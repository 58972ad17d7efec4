import { ClientFailure, invalidField, notFound, precondition } from '../cli/failures.ts';
import { int64 } from '../cli/json.ts';
import { computePrefix, isWellFormed, newId } from '../world/ids.ts';
import type { Disk, Image } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { Call, Command } from './command.ts';
import { commandsOf, type Definition } from './define.ts';
import { DISK } from './kind.ts';
import { bytesOf, checkZone } from './validation.ts';

const GIB = 2 ** 30;
const SMALLEST = 4_194_304;
const LARGEST = 28_587_302_322_176;
const DEFAULT_SIZE = '10';
const TYPES = ['network-hdd', 'network-ssd', 'network-ssd-nonreplicated', 'network-ssd-io-m3'];
const NONREPLICATED_STEP = 93 * GIB;

const definition: Definition<'disk'> = {
  kind: DISK,
  columns: ['id', 'name', 'size', 'zone_id', 'status', 'instance_ids', 'description'],
  seconds: { create: 9, update: 5, delete: 4 },
  labelCommands: true,
  createFlags: {
    zone: 'string',
    type: 'string',
    size: 'string',
    'block-size': 'string',
    'source-image-id': 'string',
    'source-image-name': 'string',
    'source-image-family': 'string',
    'source-image-folder-id': 'string',
    'source-snapshot-id': 'missing',
    'source-snapshot-name': 'missing',
    'disk-placement-group-id': 'missing',
    'disk-placement-group-name': 'missing',
    'kms-key-id': 'missing',
    'kms-key-name': 'missing',
    'hardware-generation-id': 'missing',
    'hardware-features': 'missing',
  },
  required: ['zone'],
  updateFlags: { size: 'string' },
  view: (world, disk) => ({
    type_id: disk.typeId,
    zone_id: disk.zoneId,
    size: int64(disk.size),
    block_size: int64(disk.blockSize),
    product_ids: disk.sourceImageId === '' ? [] : [`f2e${disk.sourceImageId.slice(3)}`],
    status: world.status(disk, 'READY'),
    source_image_id: disk.sourceImageId,
    instance_ids: holders(world, disk.id),
    disk_placement_policy: {},
    hardware_generation: { legacy_features: { pci_topology: 'PCI_TOPOLOGY_V1' } },
  }),
  create(call, base) {
    const { flags } = call;
    const zoneId = flags.text('zone') ?? '';
    const image = imageOf(call);
    const made = {
      typeId: flags.text('type') ?? 'network-hdd',
      size: sizeOf(flags.text('size') ?? DEFAULT_SIZE),
      blockSize: sizeOf(flags.text('block-size') ?? '4K'),
      sourceImageId: image?.id ?? '',
    };
    checkZone(zoneId);
    checkDisk(made.typeId, made.size, image);
    return { ...base, id: newId(computePrefix(zoneId)), zoneId, ...made };
  },
  update({ flags }, disk) {
    const text = flags.text('size');
    if (text === undefined) return;
    const size = sizeOf(text);
    // Refused by the API; how it says so is not known.
    if (size < disk.size) throw invalidField('size', 'Disk size can not be decreased');
    checkDisk(disk.typeId, size, undefined);
    disk.size = size;
  },
  checkDelete(world, disk) {
    if (holders(world, disk.id).length > 0) throw precondition(`The disk ${disk.id} is being used`);
  },
};

export function holders(world: World, diskId: string): readonly string[] {
  return world
    .all('instance')
    .filter(({ bootDisk, secondaryDisks }) => [bootDisk, ...secondaryDisks].some((disk) => disk.diskId === diskId))
    .map(({ id }) => id);
}

export function sizeOf(text: string): number {
  const size = bytesOf(text);
  if (size === undefined) throw new ClientFailure(`invalid size "${text}"`);
  return size;
}

export function checkDisk(typeId: string, size: number, image: Image | undefined): void {
  if (!TYPES.includes(typeId)) throw invalidField('type_id', `Disk type ${typeId} is not found`);
  if (size < SMALLEST || size > LARGEST)
    throw invalidField('size', `Value must be in the range ${SMALLEST}-${LARGEST}`);
  if (typeId === 'network-ssd-nonreplicated' && size % NONREPLICATED_STEP !== 0)
    throw invalidField('size', 'Disk size must be a multiple of 93 GB');
  if (image !== undefined && size < image.minDiskGib * GIB)
    throw invalidField('size', `Disk size must be at least ${image.minDiskGib * GIB}`);
}

function imageOf({ world, flags }: Call): Image | undefined {
  const id = flags.text('source-image-id');
  const name = flags.text('source-image-name');
  const family = flags.text('source-image-family');
  const folderId = flags.text('source-image-folder-id') ?? flags.text('folder-id');
  if (id !== undefined) return imageById(world, id);
  if (name === undefined && family === undefined) return undefined;
  const found = Object.values(world.state.images).find(
    (image) => image.folderId === folderId && (name === undefined ? image.family === family : image.name === name),
  );
  if (found === undefined)
    throw new ClientFailure(
      `image with ${name === undefined ? `family "${family}"` : `name "${name}"`} not found`,
      true,
    );
  return found;
}

export function imageById(world: World, id: string): Image {
  if (!isWellFormed(id)) throw invalidField('image_id', `invalid image id '${id}'`);
  const image = world.image(id);
  if (image === undefined) throw notFound(`Image ${id} not found`);
  return image;
}

/** A disk that a machine is made with. */
export function impliedDisk(fields: Omit<Disk, 'id' | 'blockSize'>): Disk {
  return { ...fields, id: newId(computePrefix(fields.zoneId)), blockSize: 4096 };
}

export const diskCommands: readonly Command[] = commandsOf(definition);
