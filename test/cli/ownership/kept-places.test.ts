import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { foldFacts } from '../../../src/core/fold.ts';
import { planRemoval } from '../../../src/engine/removal.ts';
import { googleCatalogue } from '../../../src/providers/google/catalogue.ts';
import { ACCOUNT, type Cloud, expectExit, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { enable, folder, grant, link, project, type Step } from '../../support/e2e/playbooks.ts';

const URN = {
  web: 'google:cloudresourcemanager:project:acme-web',
  deep: 'google:cloudresourcemanager:project:acme-deep',
  team: 'google:cloudresourcemanager:folder:organizations/123456789012/Team',
  dns: 'google:serviceusage:service:acme-web/dns.googleapis.com',
  billing: 'google:cloudbilling:billing-link:acme-web',
};
const MEMBER = { role: 'roles/browser', member: 'group:team@example.com' };
const DNS = { project_id: 'acme-web', service: 'dns.googleapis.com' };
const LINK = { project_id: 'acme-web', billing_account: ACCOUNT };

function factOf(urn: string, desired: object, said: object = {}) {
  const [, service = '', resource_type = ''] = urn.split(':');
  const by = { provider: 'google', service, resource_type, verb: 'ensure', stack: 'prod', outcome: 'changed' } as const;
  return { urn, ...by, desired, execution_id: 5, origin: 'created', ...said };
}

const BY_DEFAULT = factOf(URN.web, { project_id: 'acme-web', parent: ORG }, { resource_id: 'projects/1001' });
const WEB = { ...BY_DEFAULT, protect: false };
const TEAM = { parent: ORG, display_name: 'Team' };

/** A cloud with these playbooks, and a log of these facts. */
async function opened(facts: readonly object[], ...playbooks: readonly (readonly [string, readonly Step[]])[]) {
  const cloud = await openCloudInside({
    seed: { projects: [{ projectId: 'acme-web', number: '1001', parent: ORG, services: ['dns.googleapis.com'] }] },
  });
  playbooks.forEach(([stack, steps], index) => {
    cloud.write({ defaults: { stack }, steps }, `${index}.yaml`);
  });
  const rows = facts.map((fact) => `${JSON.stringify({ provider_fact: fact })}\n`);
  cloud.writeText('.infra/eventlog.jsonl', rows.join(''));
  return cloud;
}

/** What a clean-up of the stack `prod` would delete, and all that it says. */
async function cleanUp(cloud: Cloud, ...files: readonly string[]) {
  const ended = await cloud.run(['orphans', ...files, '--stack', 'prod', '--plan-destroy', 'clean-up.yaml']);
  const isWritten = existsSync(join(cloud.folder, 'clean-up.yaml'));
  const steps = isWritten ? (await cloud.planOf('clean-up.yaml')).plan.steps : [];
  return { ...ended, going: steps.map(({ urn }) => urn) };
}

it.each([
  ['a service', enable('dns', DNS)],
  ['a link', link('billing', LINK)],
  ['a grant', grant('team', { project_id: 'acme-web', ...MEMBER })],
  ['something by the number', enable('dns', { ...DNS, project_id: '1001' })],
])('a project stays for what a playbook declares in it, owned or not, whatever its stack: %s', async (_what, step) => {
  const dns = factOf(URN.dns, DNS, { stack: 'net' });
  for (const facts of [[WEB], [WEB, dns]]) {
    const cloud = await opened(facts, ['prod', [grant('other', { organization: ORG, ...MEMBER })]], ['net', [step]]);
    const { going, stdout } = await cleanUp(cloud, '0.yaml', '1.yaml');
    expect(going).toEqual([]);
    expect(stdout).toMatch(/acme-web: needed by google:[^,]+, which a playbook declares/);
  }
});

it('a folder stays for the project or folder that a playbook declares in it', async () => {
  const team = factOf(URN.team, TEAM, { resource_id: 'folders/10', protect: false });
  for (const step of [
    project('deep', { project_id: 'acme-deep', parent: 'folders/10' }),
    folder('inner', { parent: 'folders/10', display_name: 'Inner' }),
  ]) {
    const cloud = await opened([team], ['prod', [step]]);
    expect((await cleanUp(cloud, '0.yaml')).going).toEqual([]);
  }
});

it('a folder stays where something that is left out may lie in it', async () => {
  const other: Step = grant('other', { organization: ORG, ...MEMBER });
  const known = { resource_id: 'folders/10' };
  for (const [said, desired] of [
    [{}, { parent: 'folders/10' }],
    [known, { parent: 'folders/by-display-name/Team' }],
    [known, { parent: `${ORG}/Team` }],
    [known, { state: 'ACTIVE' }],
  ] as const) {
    const facts = [factOf(URN.team, TEAM, { ...said, protect: false }), factOf(URN.deep, desired)];
    const cloud = await opened(facts, ['prod', [other]]);
    const { going, stdout } = await cleanUp(cloud, '0.yaml');
    expect(going).toEqual([]);
    expect(stdout).toMatch(/Team: needed by google:[^,]+acme-deep, which is kept \(protected\)/);
  }
  for (const parent of [ORG, 'folders/11', 'folders/by-display-name/Elsewhere']) {
    const facts = [factOf(URN.team, TEAM, { ...known, protect: false }), factOf(URN.deep, { parent })];
    const cloud = await opened(facts, ['prod', [other]]);
    expect((await cleanUp(cloud, '0.yaml')).going).toEqual([URN.team]);
  }
});

it('what no step can delete for its name counts as left out; where names are free it goes', () => {
  const inner = `${URN.team}/A/F`;
  const facts = [
    factOf(URN.team, TEAM, { resource_id: 'folders/10', protect: false }),
    factOf(inner, { parent: 'folders/12', display_name: 'F' }, { protect: false }),
  ];
  const model = foldFacts(facts as never);
  const removal = (isFree: boolean) =>
    planRemoval({
      excluded: [],
      catalogues: new Map([['google', googleCatalogue]]),
      model,
      orphans: [...model.owned.keys()].map((urn) => ({ urn })) as never,
      declared: [],
      includeFound: false,
      endpointOf: () => (isFree ? { crm: 'http://127.0.0.1:1/v3', billing: null, serviceusage: null } : null),
    });
  expect(removal(false).steps).toEqual([]);
  expect(removal(false).kept).toEqual([
    { urn: inner, why: expect.stringContaining('display name') },
    { urn: URN.team, why: expect.stringContaining('and may lie in it') },
  ]);
  expect(
    removal(true)
      .steps.map(({ owned }) => owned.urn)
      .sort(),
  ).toEqual([URN.team, inner]);
});

it('what nobody declares in a declared project goes, unless a fact protects it or the project', async () => {
  const [dns, billing] = [factOf(URN.dns, DNS), factOf(URN.billing, LINK)];
  const declared = project('web', { project_id: 'acme-web', parent: ORG });
  const other = grant('other', { organization: ORG, ...MEMBER });
  for (const [web, steps, going] of [
    [BY_DEFAULT, [declared], [URN.billing, URN.dns]],
    [{ ...WEB, protect: true }, [declared], []],
    [BY_DEFAULT, [other], []],
  ] as const) {
    const cloud = await opened([web, dns, billing], ['prod', steps]);
    expect([...(await cleanUp(cloud, '0.yaml')).going].sort()).toEqual(going);
  }
  const cloud = await opened([BY_DEFAULT, { ...dns, protect: true }, billing], ['prod', [declared]]);
  expect((await cleanUp(cloud, '0.yaml')).going).toEqual([URN.billing]);
});

it('a destruction keeps both where the project is protected by default, declared or not', async () => {
  const steps = [project('web', { project_id: 'acme-web', parent: ORG }), enable('dns', DNS), link('billing', LINK)];
  for (const some of [steps, steps.slice(1)]) {
    const cloud = await opened([BY_DEFAULT, factOf(URN.dns, DNS), factOf(URN.billing, LINK)], ['prod', some]);
    const ended = await cloud.run(['destroy', '0.yaml', '--format', 'json', '--detailed-exitcode']);
    expectExit(ended, 2);
    expect(JSON.parse(ended.stdout).summary).toMatchObject({ delete: 0, held: some.length });
  }
});

it('a project stays for what is left alone in it', async () => {
  const dns = factOf(URN.dns, DNS);
  const cloud = await opened([WEB, dns], ['prod', [grant('other', { organization: ORG, ...MEMBER })]]);
  const all = await cleanUp(cloud, '0.yaml');
  expect(all.going).toEqual(expect.arrayContaining([URN.web, URN.dns]));
  const file = 'less.yaml';
  const less = await cloud.run(['orphans', '0.yaml', '--stack', 'prod', '--exclude', URN.dns, '--plan-destroy', file]);
  expectExit(less, 2);
  expect(less.stdout).toContain(`needed by ${URN.dns}, which --exclude leaves alone`);
  expect(existsSync(join(cloud.folder, file))).toBe(false);
});
