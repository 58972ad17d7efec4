import * as z from 'zod/mini';
import { COMMON, flag, type KindDefinition, renameFlags } from '../define-kind.ts';
import { textField } from '../inputs.ts';
import { descriptionRule, nameRule } from '../validation.ts';
import { base, liveOf, parser } from '../wire.ts';

export const network: KindDefinition = {
  ...COMMON,
  kind: 'network',
  service: 'vpc',
  command: 'network',
  input: [
    textField('name', { required: true, isStatic: true, rule: nameRule }),
    textField('description', { rule: descriptionRule }),
  ],
  fields: { name: 'mutable', description: 'mutable' },
  dependants: ['subnet', 'security_group'],
  isContainer: true,
  createFlags: (desired) => flag('--description', desired, 'description'),
  updateFlags: renameFlags,
  parse: parser(z.object(base), (row) =>
    liveOf('network', row, { fields: { name: row.name, description: row.description } }),
  ),
};
