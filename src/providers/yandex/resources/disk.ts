import * as z from 'zod/mini';
import { COMMON, flag, type KindDefinition, text } from '../define-kind.ts';
import { choiceField, numberField, textField } from '../inputs.ts';
import { idRule, nameRule, zoneRule } from '../validation.ts';
import { base, id, int, liveOf, parser, statusOf, word } from '../wire.ts';

const GIB = 2 ** 30;
const STATUSES = ['CREATING', 'READY', 'ERROR', 'DELETING'];

const row = z.object({
  ...base,
  zone_id: word,
  type_id: z.optional(word),
  size: int,
  status: z.optional(word),
  source_image_id: z.optional(id),
  instance_ids: z._default(z.array(id), []),
});

export const disk: KindDefinition = {
  ...COMMON,
  kind: 'disk',
  service: 'compute',
  command: 'disk',
  input: [
    textField('name', { required: true, isStatic: true, rule: nameRule }),
    textField('zone_id', { required: true, rule: zoneRule }),
    textField('image_id', { required: true, rule: idRule }),
    numberField('size_gib', { required: true, min: 10, max: 1024 }),
    choiceField('type', ['network-ssd', 'network-hdd']),
  ],
  fields: { name: 'mutable', zone_id: 'fixed', image_id: 'fixed', size_gib: 'growing', type: 'fixed' },
  hindrances: { zone_id: 'replacement', image_id: 'replacement', type: 'replacement', size_gib: 'shrink' },
  ready: ['READY'],
  dependants: ['instance'],
  createFlags: (desired) => [
    '--zone',
    text(desired, 'zone_id'),
    ...flag('--type', desired, 'type'),
    '--size',
    `${text(desired, 'size_gib')}G`,
    '--source-image-id',
    text(desired, 'image_id'),
  ],
  updateFlags: (changed) => [
    ...flag('--new-name', changed, 'name'),
    ...(changed['size_gib'] === undefined ? [] : ['--size', `${text(changed, 'size_gib')}G`]),
  ],
  parse: parser(row, (found) =>
    liveOf('disk', found, {
      status: statusOf(found.status, STATUSES),
      zoneId: found.zone_id,
      deletionObstacle:
        found.instance_ids.length > 0
          ? { detail: 'It is attached to a machine, which goes first.', isUse: true }
          : null,
      fields: {
        name: found.name,
        zone_id: found.zone_id,
        image_id: found.source_image_id ?? '',
        size_gib: found.size / GIB,
        type: found.type_id ?? '',
      },
    }),
  ),
};
