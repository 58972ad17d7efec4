import { expect, test } from 'vitest';
import { type FakeYc, fakeYc, idOf, type Tree } from './support.ts';

async function withNetwork(): Promise<FakeYc> {
  const fake = await fakeYc();
  await fake.quick('vpc network create --name net');
  return fake;
}

const create = (rules: readonly string[], name = 'sg') => [
  ...['--name', name, '--network-name', 'net', ...rules.flatMap((rule) => ['--rule', rule])],
];

const rulesOf = (json: Tree) => Object.values(json['rules'] ?? {});

test.each([
  [
    'description=Allow HTTPS,direction=ingress,port=443,protocol=tcp,v4-cidrs=[10.0.0.0/24]',
    {
      description: 'Allow HTTPS',
      direction: 'INGRESS',
      ports: { from_port: '443', to_port: '443' },
      protocol_name: 'TCP',
      protocol_number: '6',
      cidr_blocks: { v4_cidr_blocks: ['10.0.0.0/24'] },
    },
  ],
  [
    'direction=egress,port=any,protocol=any,v4-cidrs=[0.0.0.0/0]',
    {
      direction: 'EGRESS',
      protocol_name: 'ANY',
      protocol_number: '-1',
      cidr_blocks: { v4_cidr_blocks: ['0.0.0.0/0'] },
    },
  ],
  [
    'direction=egress,from-port=0,to-port=65535,protocol=any,v4-cidrs=[10.0.0.0/8,192.168.0.0/16]',
    {
      direction: 'EGRESS',
      ports: { to_port: '65535' },
      protocol_name: 'ANY',
      protocol_number: '-1',
      cidr_blocks: { v4_cidr_blocks: ['10.0.0.0/8', '192.168.0.0/16'] },
    },
  ],
  [
    'direction=ingress,from-port=30080,to-port=30081,protocol=udp,predefined=loadbalancer_healthchecks',
    {
      direction: 'INGRESS',
      ports: { from_port: '30080', to_port: '30081' },
      protocol_name: 'UDP',
      protocol_number: '17',
      predefined_target: 'loadbalancer_healthchecks',
    },
  ],
  [
    'direction=ingress,protocol=icmp,v4-cidrs=10.0.0.0/24,v4-cidrs=10.0.1.0/24',
    {
      direction: 'INGRESS',
      protocol_name: 'ICMP',
      protocol_number: '1',
      cidr_blocks: { v4_cidr_blocks: ['10.0.0.0/24', '10.0.1.0/24'] },
    },
  ],
  [
    'direction=ingress,protocol=50,v6-cidrs=[::/0]',
    { direction: 'INGRESS', protocol_number: '50', cidr_blocks: { v6_cidr_blocks: ['::/0'] } },
  ],
])('The rule %s is shown as recorded', async (rule, shown) => {
  const { quick } = await withNetwork();
  const { json } = await quick('vpc security-group create', ...create([rule]));
  expect(json['status']).toBe('ACTIVE');
  expect(rulesOf(json)).toEqual([{ id: expect.stringMatching(/^enp[0-9a-v]{17}$/), ...shown }]);
});

const PORT = 'execute command: run command: for rule spec port or [from/to]-port fields is required\n';

test.each([
  ['direction=ingress,protocol=any,v4-cidrs=[0.0.0.0/0]', PORT],
  ['direction=ingress,protocol=tcp,v4-cidrs=[0.0.0.0/0]', PORT],
  ['direction=ingress,v4-cidrs=[0.0.0.0/0]', PORT],
  ['direction=ingress,protocol=tcp,from-port=1,v4-cidrs=[0.0.0.0/0]', PORT],
  ['protocol=icmp,v4-cidrs=[0.0.0.0/0]', 'direction field is required'],
  ['direction=up,protocol=icmp,v4-cidrs=[0.0.0.0/0]', 'unknown direction "up"'],
  ['direction=ingress,protocol=gre,port=1,v4-cidrs=[0.0.0.0/0]', 'unknown protocol "gre"'],
  ['direction=ingress,protocol=tcp,port=1,from-port=1,to-port=2,v4-cidrs=[0.0.0.0/0]', 'can not be used together'],
  ['direction=ingress,protocol=tcp,port=x,v4-cidrs=[0.0.0.0/0]', 'invalid port "x"'],
  ['direction=ingress,protocol=tcp,port=65536,v4-cidrs=[0.0.0.0/0]', 'rule_specs.ports'],
  ['direction=ingress,protocol=tcp,from-port=2,to-port=1,v4-cidrs=[0.0.0.0/0]', 'rule_specs.ports'],
  ['direction=ingress,protocol=icmp,v4-cidrs=[10.0.0.1/8]', 'Cannot parse address: 10.0.0.1/8'],
  ['direction=ingress,protocol=icmp', 'Exactly one target'],
  ['direction=ingress,protocol=icmp,v4-cidrs=[0.0.0.0/0],predefined=self_security_group', 'Exactly one target'],
  ['direction=ingress,protocol=icmp,predefined=everybody', 'Unknown target everybody'],
  ['direction=ingress,protocol=icmp,security-group-name=nope', 'security group with name "nope" not found'],
  ['description=one, two,direction=ingress,protocol=icmp,v4-cidrs=[0.0.0.0/0]', 'invalid property " two"'],
  ['cidr=0.0.0.0/0,direction=ingress,protocol=icmp', 'unknown property "cidr"'],
  ['direction=ingress,protocol=icmp,v4-cidrs=[0.0.0.0/0', 'brackets do not match'],
])('The rule %s is refused', async (rule, text) => {
  const { quick } = await withNetwork();
  const ran = await quick('vpc security-group create', ...create([rule]));
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr).toContain(text);
  expect(Object.values((await quick('vpc security-group list')).json)).toHaveLength(1);
});

const SSH = 'direction=ingress,protocol=tcp,port=22,v4-cidrs=[192.0.2.0/24]';
const DNS = 'direction=egress,protocol=udp,port=53,v4-cidrs=[0.0.0.0/0]';

test('update-rules changes some rules and keeps the ids of the others; update replaces all', async () => {
  const { quick, control } = await withNetwork();
  const first = rulesOf((await quick('vpc security-group create', ...create([SSH, DNS]))).json);
  const ids = first.map(({ id }) => String(id));
  const changed = await quick(
    'vpc security-group update-rules sg',
    ...['--delete-rule-id', ids[0] ?? '', '--add-rule', 'direction=ingress,protocol=icmp,v4-cidrs=[0.0.0.0/0]'],
  );
  expect(rulesOf(changed.json).map(({ id }) => id)).toEqual([ids[1], expect.any(String)]);
  expect((await quick('vpc security-group update-rules sg --delete-rule-id', ids[0] ?? '')).stderr).toContain(
    `InvalidArgument desc = Invalid rule id ${ids[0]}`,
  );
  expect((await quick('vpc security-group update-rules sg')).stderr).toContain('no rules to add or delete');
  control.setKnobs({ reverseRules: true });
  expect(rulesOf((await quick('vpc security-group get sg')).json).map(({ id }) => id)).toEqual(
    rulesOf(changed.json)
      .map(({ id }) => id)
      .reverse(),
  );
  const replaced = rulesOf((await quick('vpc security-group update sg --rule', DNS)).json);
  expect(replaced).toHaveLength(1);
  expect(ids).not.toContain(replaced[0]?.['id']);
  expect((await quick('vpc security-group update sg --description x')).json['rules']).toBeDefined();
  expect((await quick('vpc security-group update sg --clear-rules')).json['rules']).toBeUndefined();
});

test('A group has at most 50 rules', async () => {
  const { quick } = await withNetwork();
  const many = Array.from({ length: 51 }, (_, at) => `direction=egress,protocol=udp,port=${at},v4-cidrs=[0.0.0.0/0]`);
  expect((await quick('vpc security-group create', ...create(many))).stderr).toContain('Quota limit');
  expect((await quick('vpc security-group create', ...create(many.slice(1)))).exitCode).toBe(0);
});

test('A group that a rule of another names is in use', async () => {
  const { quick } = await withNetwork();
  const target = idOf(await quick('vpc security-group create', ...create([], 'target')));
  const rule = `direction=ingress,protocol=tcp,port=22,security-group-id=${target}`;
  const { json } = await quick('vpc security-group create', ...create([rule], 'user'));
  expect(rulesOf(json)).toMatchObject([{ security_group_id: target }]);
  expect((await quick('vpc security-group delete target')).stderr).toContain('FailedPrecondition');
  await quick('vpc security-group delete user');
  expect((await quick('vpc security-group delete target')).exitCode).toBe(0);
});

test('Labels of a group may hold what those of a network may not', async () => {
  const { quick } = await withNetwork();
  await quick('vpc security-group create', ...create([]));
  expect((await quick('vpc security-group add-labels sg --labels a=1.2/3')).json['labels']).toEqual({ a: '1.2/3' });
  expect((await quick('vpc security-group remove-labels sg --labels a')).json['labels']).toBeUndefined();
});
