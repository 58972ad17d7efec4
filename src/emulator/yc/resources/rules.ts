import { ClientFailure, invalid, invalidField } from '../cli/failures.ts';
import { type Draft, int64, type JsonObject, message } from '../cli/json.ts';
import { type Properties, parseProperties } from '../cli/properties.ts';
import { parseCidr } from '../world/cidr.ts';
import { newId, VPC_PREFIX } from '../world/ids.ts';
import type { Rule } from '../world/state.ts';
import type { Call } from './command.ts';
import { SECURITY_GROUP } from './kind.ts';
import { dependency } from './lookup.ts';
import { checkDescription } from './validation.ts';

const KNOWN = [
  'description',
  'direction',
  'port',
  'from-port',
  'to-port',
  'protocol',
  'v4-cidrs',
  'v6-cidrs',
  'security-group-id',
  'security-group-name',
  'predefined',
];
const PROTOCOLS: Readonly<Record<string, string>> = { any: '-1', icmp: '1', tcp: '6', udp: '17', ipv6_icmp: '58' };
const PREDEFINED = ['self_security_group', 'loadbalancer_healthchecks'];
const MAX_PORT = 65_535;

export function parseRule(call: Call, flag: string, text: string): Rule {
  const properties = parseProperties(flag, text, KNOWN);
  const protocol = protocolOf(properties);
  const description = properties.get('description') ?? '';
  checkDescription(description);
  const ports = portsOf(properties, protocol.number);
  const rule: Rule = {
    id: newId(VPC_PREFIX),
    description,
    direction: directionOf(properties),
    ...(ports === undefined ? {} : { ports }),
    protocolName: protocol.name,
    protocolNumber: protocol.number,
    v4Cidrs: cidrs(properties, 'v4-cidrs'),
    v6Cidrs: properties.list('v6-cidrs'),
    securityGroupId: groupOf(call, properties),
    predefinedTarget: properties.get('predefined') ?? '',
  };
  checkTarget(rule);
  return rule;
}

function directionOf(properties: Properties): Rule['direction'] {
  const direction = properties.get('direction')?.toUpperCase();
  if (direction === 'INGRESS' || direction === 'EGRESS') return direction;
  throw new ClientFailure(
    direction === undefined
      ? 'for rule spec direction field is required'
      : `unknown direction "${properties.get('direction')}" in rule spec`,
  );
}

function protocolOf(properties: Properties): { readonly name: string; readonly number: string } {
  const protocol = (properties.get('protocol') ?? 'any').toLowerCase();
  const number = PROTOCOLS[protocol];
  if (number !== undefined) return { name: protocol.toUpperCase(), number };
  if (/^\d{1,3}$/.test(protocol) && Number(protocol) < 256) {
    const [name = ''] = Object.entries(PROTOCOLS).find(([, known]) => known === protocol) ?? [];
    return { name: name.toUpperCase(), number: protocol };
  }
  throw new ClientFailure(`unknown protocol "${protocol}" in rule spec`);
}

/** Without a protocol that has none, the program itself insists on ports: `any` needs them too. */
function portsOf(properties: Properties, protocol: string): Rule['ports'] {
  const port = properties.get('port');
  const from = properties.get('from-port');
  const to = properties.get('to-port');
  if (port === undefined && from === undefined && to === undefined) {
    if (['-1', '6', '17'].includes(protocol))
      throw new ClientFailure('for rule spec port or [from/to]-port fields is required');
    return undefined;
  }
  if (port !== undefined && (from !== undefined || to !== undefined))
    throw new ClientFailure('for rule spec port and [from/to]-port fields can not be used together');
  if (port === 'any') return undefined;
  const ports = { from: portNumber(port ?? from), to: portNumber(port ?? to) };
  if (ports.from > ports.to) throw invalidField('rule_specs.ports', 'from_port must be less than or equal to to_port');
  return ports;
}

function portNumber(text: string | undefined): number {
  if (text === undefined) throw new ClientFailure('for rule spec port or [from/to]-port fields is required');
  if (!/^\d+$/.test(text)) throw new ClientFailure(`invalid port "${text}" in rule spec`);
  if (Number(text) > MAX_PORT) throw invalidField('rule_specs.ports', `Value must be in the range 0-${MAX_PORT}`);
  return Number(text);
}

function cidrs(properties: Properties, name: string): readonly string[] {
  const found = properties.list(name);
  for (const text of found) if (!parseCidr(text)?.strict) throw invalid(`Cannot parse address: ${text}`);
  return found;
}

function groupOf(call: Call, properties: Properties): string {
  const id = properties.get('security-group-id');
  const name = properties.get('security-group-name');
  return id === undefined && name === undefined ? '' : dependency(call, SECURITY_GROUP, { id, name }).id;
}

function checkTarget(rule: Rule): void {
  const targets = [rule.v4Cidrs.length + rule.v6Cidrs.length > 0, rule.securityGroupId, rule.predefinedTarget];
  if (targets.filter(Boolean).length !== 1) throw invalidField('rule_specs.target', 'Exactly one target is required');
  if (rule.predefinedTarget !== '' && !PREDEFINED.includes(rule.predefinedTarget))
    throw invalidField('rule_specs.predefined_target', `Unknown target ${rule.predefinedTarget}`);
}

/** What a new network's own group has: all in, all out. */
export function defaultRules(): readonly Rule[] {
  return (['INGRESS', 'EGRESS'] as const).map((direction) => ({
    id: newId(VPC_PREFIX),
    description: '',
    direction,
    protocolName: 'ANY',
    protocolNumber: '-1',
    v4Cidrs: ['0.0.0.0/0'],
    v6Cidrs: [],
    securityGroupId: '',
    predefinedTarget: '',
  }));
}

export function ruleJson(rule: Rule): JsonObject {
  return message({
    id: rule.id,
    description: rule.description,
    direction: rule.direction,
    ports: rule.ports && message({ from_port: int64(rule.ports.from), to_port: int64(rule.ports.to) }),
    protocol_name: rule.protocolName,
    protocol_number: rule.protocolNumber,
    cidr_blocks: blocks(rule),
    security_group_id: rule.securityGroupId,
    predefined_target: rule.predefinedTarget,
  });
}

function blocks({ v4Cidrs, v6Cidrs }: Rule): Draft {
  if (v4Cidrs.length + v6Cidrs.length === 0) return undefined;
  return message({ v4_cidr_blocks: v4Cidrs, v6_cidr_blocks: v6Cidrs });
}
