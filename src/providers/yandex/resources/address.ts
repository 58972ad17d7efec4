import * as z from 'zod/mini';
import { COMMON, flag, type KindDefinition, type Obstacle, text } from '../define-kind.ts';
import { booleanField, textField } from '../inputs.ts';
import { nameRule, zoneRule } from '../validation.ts';
import { base, ipv4, liveOf, parser, word } from '../wire.ts';

const row = z.object({
  ...base,
  external_ipv4_address: z.optional(z.object({ address: z.optional(ipv4), zone_id: z.optional(word) })),
  internal_ipv4_address: z.optional(z.object({ address: z.optional(ipv4) })),
  used: z._default(z.boolean(), false),
  deletion_protection: z._default(z.boolean(), false),
});

export const address: KindDefinition = {
  ...COMMON,
  kind: 'address',
  service: 'vpc',
  command: 'address',
  input: [
    textField('name', { required: true, isStatic: true, rule: nameRule }),
    textField('zone_id', { required: true, rule: zoneRule }),
    booleanField('deletion_protection'),
  ],
  fields: { name: 'mutable', zone_id: 'fixed', deletion_protection: 'mutable' },
  hindrances: { zone_id: 'replacement' },
  addsLabels: false,
  dependants: ['instance'],
  createFlags: (desired) => [
    '--external-ipv4',
    `zone=${text(desired, 'zone_id')}`,
    ...(desired['deletion_protection'] === true ? ['--deletion-protection'] : []),
  ],
  updateFlags: (changed) => [
    ...flag('--new-name', changed, 'name'),
    ...(changed['deletion_protection'] === undefined
      ? []
      : [`--deletion-protection=${text(changed, 'deletion_protection')}`]),
  ],
  parse: parser(row, (found) => {
    const { address: value, zone_id: zone } = found.external_ipv4_address ?? {};
    return liveOf('address', found, {
      zoneId: zone ?? null,
      publicAddresses: value === undefined ? [] : [value],
      deletionObstacle: obstacle(found),
      fields: { name: found.name, zone_id: zone ?? '', deletion_protection: found.deletion_protection },
    });
  }),
};

function obstacle({ used, deletion_protection }: z.infer<typeof row>): Obstacle | null {
  const detail = 'Its deletion protection is on: set deletion_protection: false first and apply that.';
  if (deletion_protection) return { detail, isUse: false };
  return used ? { detail: 'The address is in use: what uses it goes first.', isUse: true } : null;
}
