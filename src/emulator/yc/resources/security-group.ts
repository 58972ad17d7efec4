import { ClientFailure, invalid, precondition, RpcFailure } from '../cli/failures.ts';
import { newId, VPC_PREFIX } from '../world/ids.ts';
import type { Rule, SecurityGroup } from '../world/state.ts';
import type { World } from '../world/world.ts';
import type { Call, Command, Outcome } from './command.ts';
import { answerUpdate, commandsOf, type Definition, TARGET, wordsOf } from './define.ts';
import { NETWORK, SECURITY_GROUP } from './kind.ts';
import { changed, dependency } from './lookup.ts';
import { parseRule, ruleJson } from './rules.ts';

const MAX_RULES = 50;

const definition: Definition<'security_group'> = {
  kind: SECURITY_GROUP,
  columns: ['id', 'name', 'description', 'network_id'],
  seconds: { create: 3, update: 2, delete: 2 },
  labelCommands: true,
  createFlags: { 'network-id': 'string', 'network-name': 'string', rule: 'repeat' },
  updateFlags: { rule: 'repeat', 'clear-rules': 'bool' },
  view: (world, group) => ({
    network_id: group.networkId,
    status: world.status(group, 'ACTIVE'),
    rules: (world.knobs.reverseRules ? [...group.rules].reverse() : group.rules).map(ruleJson),
    default_for_network: group.isDefault,
  }),
  create(call, base) {
    const { flags } = call;
    // The rules are read before anything is sent.
    const rules = flags.texts('rule').map((text) => parseRule(call, 'rule', text));
    checkRules(rules);
    const network = dependency(call, NETWORK, { id: flags.text('network-id'), name: flags.text('network-name') });
    return { ...base, id: newId(VPC_PREFIX), networkId: network.id, isDefault: false, rules };
  },
  update(call, group) {
    const rules = call.flags.texts('rule').map((text) => parseRule(call, 'rule', text));
    checkRules(rules);
    if (rules.length > 0 || call.flags.bool('clear-rules')) group.rules = rules;
  },
  checkDelete(world, group) {
    if (group.isDefault) throw precondition(`Default security group ${group.id} can not be deleted`);
    if (isUsed(world, group)) throw precondition(`Security group ${group.id} is in use`);
  },
};

function isUsed(world: World, { id }: SecurityGroup): boolean {
  return (
    world
      .all('instance')
      .some(({ networkInterfaces }) => networkInterfaces.some((nic) => nic.securityGroupIds.includes(id))) ||
    world
      .all('security_group')
      .some((other) => other.id !== id && other.rules.some((rule) => rule.securityGroupId === id))
  );
}

function checkRules(rules: readonly Rule[]): void {
  if (rules.length > MAX_RULES)
    throw new RpcFailure('ResourceExhausted', 'Quota limit vpc.securityGroupRules.count exceeded');
}

const updateRulesCommand: Command = {
  words: wordsOf(SECURITY_GROUP, 'update-rules'),
  operands: '<NAME|ID>',
  flags: { ...TARGET, async: 'bool', 'add-rule': 'repeat', 'delete-rule-id': 'list' },
  run: updateRules,
};

function updateRules(call: Call): Outcome {
  const added = call.flags.texts('add-rule').map((text) => parseRule(call, 'add-rule', text));
  const gone = call.flags.list('delete-rule-id');
  if (added.length + gone.length === 0) throw new ClientFailure('no rules to add or delete');
  const group = changed(call, SECURITY_GROUP);
  for (const id of gone) if (!group.rules.some((rule) => rule.id === id)) throw invalid(`Invalid rule id ${id}`);
  const rules = [...group.rules.filter((rule) => !gone.includes(rule.id)), ...added];
  checkRules(rules);
  group.rules = rules;
  return answerUpdate(definition, call, group, 'Update');
}

export const securityGroupCommands: readonly Command[] = [...commandsOf(definition), updateRulesCommand];
