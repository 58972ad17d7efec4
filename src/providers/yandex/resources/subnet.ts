import * as z from 'zod/mini';
import { subnetCidrRule } from '../cidr.ts';
import { COMMON, flag, type KindDefinition, renameFlags, text } from '../define-kind.ts';
import { textField } from '../inputs.ts';
import { descriptionRule, nameRule, zoneRule } from '../validation.ts';
import { base, id, liveOf, parser, word } from '../wire.ts';

const row = z.object({
  ...base,
  network_id: id,
  zone_id: word,
  v4_cidr_blocks: z._default(z.array(z.string().check(z.regex(/^[0-9./]{9,18}$/))), []),
});

export const subnet: KindDefinition = {
  ...COMMON,
  kind: 'subnet',
  service: 'vpc',
  command: 'subnet',
  input: [
    textField('name', { required: true, isStatic: true, rule: nameRule }),
    textField('zone_id', { required: true, rule: zoneRule }),
    textField('ipv4_cidr', { required: true, rule: subnetCidrRule }),
    textField('description', { rule: descriptionRule }),
  ],
  dependencies: [{ input: 'network_dependency', kind: 'network', field: 'network_id' }],
  fields: { name: 'mutable', description: 'mutable', zone_id: 'fixed', ipv4_cidr: 'fixed', network_id: 'fixed' },
  hindrances: { ipv4_cidr: 'replacement', network_id: 'replacement', zone_id: 'replacement' },
  dependants: ['instance'],
  createFlags: (desired) => [
    ...flag('--description', desired, 'description'),
    '--zone',
    text(desired, 'zone_id'),
    '--network-id',
    text(desired, 'network_id'),
    '--range',
    text(desired, 'ipv4_cidr'),
  ],
  updateFlags: renameFlags,
  parse: parser(row, (found) =>
    liveOf('subnet', found, {
      zoneId: found.zone_id,
      uses: [found.network_id],
      fields: {
        name: found.name,
        description: found.description,
        zone_id: found.zone_id,
        ipv4_cidr: found.v4_cidr_blocks.join(','),
        network_id: found.network_id,
      },
    }),
  ),
};
