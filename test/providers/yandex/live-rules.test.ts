import { expect, it, test } from 'vitest';
import { securityGroup } from '../../../src/providers/yandex/resources/security-group.ts';
import { describeRule } from '../../../src/providers/yandex/rules.ts';
import { changes, cloudOf, run } from './support/cloud.ts';
import { FOLDER, firewall, network } from './support/steps.ts';

const ALL = { v4_cidr_blocks: ['0.0.0.0/0'] };

/** What a rule that is shown so says in the playbook's words. */
function read(shown: object) {
  const row = {
    id: 'enp00000000000000001',
    folder_id: FOLDER,
    network_id: 'enp00000000000000002',
    rules: [{ id: 'enp00000000000000003', direction: 'EGRESS', ...shown }],
  };
  return securityGroup.parse(row)?.live.rules[0]?.content;
}

const PROTOCOLS: readonly (readonly [shown: object, protocol: string])[] = [
  [{ protocol_name: 'ANY', protocol_number: '-1' }, 'any'],
  [{ protocol_name: 'any', protocol_number: '-1' }, 'any'],
  [{ protocol_number: '-1' }, 'any'],
  [{ protocol_name: 'ANY' }, 'any'],
  [{ protocol_number: '6' }, 'tcp'],
  [{ protocol_number: '17' }, 'udp'],
  [{ protocol_number: '1' }, 'icmp'],
  [{}, 'not shown'],
  [{ protocol_name: '' }, 'not shown'],
  [{ protocol_number: '0' }, '0'],
  [{ protocol_number: '47' }, '47'],
  [{ protocol_name: 'GRE', protocol_number: '47' }, 'gre (47)'],
  [{ protocol_name: 'IPV6_ICMP', protocol_number: '58' }, 'ipv6_icmp (58)'],
  [{ protocol_name: 'ANY', protocol_number: '6' }, 'any (6)'],
  [{ protocol_name: 'TCP', protocol_number: '17' }, 'tcp (17)'],
  [{ protocol_name: 'TCP', protocol_number: '47' }, 'tcp (47)'],
  [{ protocol_name: 'GRE', protocol_number: '6' }, 'gre (6)'],
];
test.each(PROTOCOLS)('the protocol %j is %j', (shown, protocol) => {
  expect(read({ ...shown, cidr_blocks: ALL })?.['protocol']).toBe(protocol);
});

const GROUP = 'enpaaaaaaaaaaaaaaaaa';
const TARGETS: readonly (readonly [shown: object, said: object])[] = [
  [{ cidr_blocks: ALL }, { cidr: '0.0.0.0/0' }],
  [{ security_group_id: GROUP }, { security_group_id: GROUP }],
  [{ predefined_target: 'self_security_group' }, { predefined: 'self_security_group' }],
  [{}, { predefined: '' }],
  [{ cidr_blocks: {} }, { predefined: '' }],
  [
    { cidr_blocks: ALL, security_group_id: GROUP },
    { cidr: '0.0.0.0/0', security_group_id: GROUP },
  ],
  [
    { cidr_blocks: ALL, predefined_target: 'self_security_group' },
    { cidr: '0.0.0.0/0', predefined: 'self_security_group' },
  ],
];
test.each(TARGETS)('the target %j is %j', (shown, said) => {
  expect(read({ protocol_name: 'ANY', protocol_number: '-1', ...shown })).toEqual({
    direction: 'egress',
    protocol: 'any',
    ...said,
  });
});

test('a rule is told with all of its targets', () => {
  const rule = { direction: 'ingress', protocol: 'gre (47)', cidr: '10.0.0.0/8', security_group_id: GROUP };
  expect(describeRule(rule)).toBe(`ingress gre (47) 10.0.0.0/8 and ${GROUP}`);
});

const EGRESS = { direction: 'EGRESS', cidr_blocks: ALL };
const STRANGE: readonly object[] = [
  EGRESS,
  { ...EGRESS, protocol_number: '47' },
  { ...EGRESS, protocol_name: 'ANY', protocol_number: '47' },
  { ...EGRESS, protocol_name: 'ANY', protocol_number: '-1', security_group_id: GROUP },
  { direction: 'EGRESS', protocol_name: 'ANY', protocol_number: '-1' },
];
it.each(STRANGE)('a group with the rule %j is not as declared', async (shown) => {
  const cloud = await cloudOf();
  const steps = [network(), firewall({ rules: [{ direction: 'egress', protocol: 'any', cidr: '0.0.0.0/0' }] })];
  await run(cloud, steps);
  expect(changes(await run(cloud, steps, { dry: true }))).toEqual({ network: 'none', firewall: 'none' });
  const rules = [{ id: 'enp00000000000000003', ...shown }];
  cloud.fake.addFaults({ argv: 'security-group (list|get)', action: { kind: 'patch', set: { rules } } });
  expect(changes(await run(cloud, steps, { dry: true }))).toEqual({ network: 'none', firewall: 'update' });
});
