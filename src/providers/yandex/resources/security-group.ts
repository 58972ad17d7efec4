import * as z from 'zod/mini';
import type { JsonObject } from '../../../core/json.ts';
import { COMMON, flag, type KindDefinition, type LiveRule, renameFlags, text } from '../define-kind.ts';
import { textField } from '../inputs.ts';
import { ruleArgument, rulesField, sortRules } from '../rules.ts';
import { descriptionRule, nameRule } from '../validation.ts';
import { base, id, int, liveOf, parser, statusOf, word, words } from '../wire.ts';

const STATUSES = ['CREATING', 'ACTIVE', 'UPDATING', 'DELETING'];
const PROTOCOLS: Readonly<Record<number, string>> = { [-1]: 'any', 1: 'icmp', 6: 'tcp', 17: 'udp' };
const ALL_PORTS = { from: 0, to: 65_535 };

const cidrs = z._default(z.array(z.string().check(z.regex(/^[0-9a-fA-F:./]{2,50}$/))), []);
const ruleRow = z.object({
  id,
  description: z._default(words, ''),
  direction: word,
  protocol_name: z.optional(word),
  protocol_number: z.optional(int),
  ports: z.optional(z.object({ from_port: z._default(int, 0), to_port: z._default(int, 0) })),
  cidr_blocks: z.optional(z.object({ v4_cidr_blocks: cidrs, v6_cidr_blocks: cidrs })),
  security_group_id: z.optional(id),
  predefined_target: z.optional(word),
});

const row = z.object({
  ...base,
  network_id: id,
  status: z.optional(word),
  rules: z._default(z.array(ruleRow), []),
  default_for_network: z._default(z.boolean(), false),
});

type RuleRow = z.infer<typeof ruleRow>;

export const securityGroup: KindDefinition = {
  ...COMMON,
  kind: 'security_group',
  service: 'vpc',
  command: 'security-group',
  input: [
    textField('name', { required: true, isStatic: true, rule: nameRule }),
    rulesField('rules'),
    textField('description', { rule: descriptionRule }),
  ],
  dependencies: [{ input: 'network_dependency', kind: 'network', field: 'network_id' }],
  fields: { name: 'mutable', description: 'mutable', rules: 'mutable', network_id: 'fixed' },
  hindrances: { network_id: 'replacement' },
  ready: ['ACTIVE'],
  dependants: ['instance'],
  createFlags: (desired) => [
    ...flag('--description', desired, 'description'),
    '--network-id',
    text(desired, 'network_id'),
    ...ruleFlags('--rule', desired['rules']),
  ],
  updateFlags: renameFlags,
  parse: parser(row, (found) => {
    const rules = found.rules.map(liveRule);
    return liveOf('security_group', found, {
      status: statusOf(found.status, STATUSES),
      uses: [found.network_id],
      rules,
      isBuiltIn: found.default_for_network,
      deletionObstacle: found.default_for_network
        ? { detail: 'It is the default group of its network, and goes only with that.', isUse: false }
        : null,
      fields: {
        name: found.name,
        description: found.description,
        network_id: found.network_id,
        rules: sortRules(rules.map(({ content }) => content)),
      },
    });
  }),
};

function ruleFlags(name: string, rules: unknown): readonly string[] {
  return Array.isArray(rules) ? rules.flatMap((rule) => [name, ruleArgument(rule)]) : [];
}

/** What a playbook can't say (several networks, another group, a number) is kept as it is, so that it differs. */
function liveRule(rule: RuleRow): LiveRule {
  const protocol = protocolOf(rule);
  return {
    id: rule.id,
    content: {
      direction: rule.direction.toLowerCase(),
      protocol,
      ...portsOf(protocol, rule),
      ...targetOf(rule),
      ...(rule.description === '' ? {} : { description: rule.description }),
    },
  };
}

/** A word of the playbook's only where name and number, as far as they are shown, mean that one; else what is shown. */
function protocolOf({ protocol_name: shown, protocol_number: number }: RuleRow): string {
  const name = shown === undefined || shown === '' ? null : shown.toLowerCase();
  if (number === undefined) return name ?? 'not shown';
  const known = PROTOCOLS[number] ?? null;
  if (name === null) return known ?? String(number);
  return name === known ? known : `${name} (${number})`;
}

function portsOf(protocol: string, { ports }: RuleRow) {
  const { from, to } = ports === undefined ? ALL_PORTS : { from: ports.from_port, to: ports.to_port };
  const isAll = from === ALL_PORTS.from && to === ALL_PORTS.to;
  if (protocol !== 'tcp' && protocol !== 'udp' && (ports === undefined || isAll)) return {};
  return { from_port: from, to_port: to };
}

/** A rule has one target. Where more are shown, or none, all that is shown is kept. */
function targetOf(rule: RuleRow): JsonObject {
  const networks = [...(rule.cidr_blocks?.v4_cidr_blocks ?? []), ...(rule.cidr_blocks?.v6_cidr_blocks ?? [])];
  const [only] = networks;
  const { security_group_id: group, predefined_target: predefined } = rule;
  const shown = {
    ...(networks.length === 1 && only !== undefined ? { cidr: only } : {}),
    ...(networks.length > 1 ? { cidrs: [...networks].sort() } : {}),
    ...(group === undefined ? {} : { security_group_id: group }),
    ...(predefined === undefined || predefined === '' ? {} : { predefined }),
  };
  return Object.keys(shown).length === 0 ? { predefined: '' } : shown;
}
