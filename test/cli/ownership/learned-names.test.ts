import { describe, expect, it } from 'vitest';
import { type Cloud, expectExit, ORG, stepAt } from '../../support/e2e/cloud.ts';
import {
  BY_ID,
  BY_NUMBER,
  INSIDE,
  inProject,
  NUMBER,
  openedWith,
  PROJECT,
  rowsInside,
  WEB,
  webRow,
} from '../../support/e2e/numbered.ts';
import { confirmed, drift, json, orphans, owned, verbPlanSchema, verdicts } from '../../support/e2e/ownership.ts';
import { enable, google, project, type Step } from '../../support/e2e/playbooks.ts';

const BY_NUMBER_PROJECT = `google:cloudresourcemanager:project:${NUMBER}`;
const [, , DNS = ''] = BY_ID;
const [, , NUMBERED_DNS = ''] = BY_NUMBER;
/** The project as the log has it by its number, and as it has it without one. */
const numberRow = { urn: BY_NUMBER_PROJECT, desired: { project_id: NUMBER, parent: ORG }, id: `projects/${NUMBER}` };
const { id: _id, ...namelessRow } = webRow;
const dnsRow = { urn: DNS, desired: { project_id: 'acme-web', service: 'dns.googleapis.com' } };
const protectedInside = () => rowsInside().map((row) => (row.urn === NUMBERED_DNS ? { ...row, protect: true } : row));
const OTHER = project('other', { project_id: 'acme-other', parent: ORG });

const disable = (name: string) =>
  google('off', 'serviceusage.services.disable', { project_id: name, service: 'dns.googleapis.com' });
const remove = (name: string) => google('gone', 'cloudresourcemanager.projects.delete', { project_id: name });
const declare = (cloud: Cloud, steps: readonly Step[], stack = 'prod') => cloud.write({ defaults: { stack }, steps });

describe('a project that is owned by its number and declared by its id', () => {
  const rows = [{ ...numberRow, protect: false }, ...rowsInside()];

  it('is no orphan, nor is what is in it; drift shows each once', async () => {
    const cloud = await openedWith(rows);
    const left = await orphans(cloud, 'playbook.yaml', '--plan-destroy', 'removal.yaml');
    expectExit(left, 0);
    expect(left.document.orphans).toEqual([]);
    expect(() => cloud.readText('removal.yaml')).toThrow();
    const seen = await drift(cloud, 'playbook.yaml');
    expectExit(seen, 0);
    expect(Object.keys(verdicts(seen))).toEqual([BY_NUMBER[0], BY_NUMBER_PROJECT, ...BY_NUMBER.slice(1)]);
  });

  it('moves to the id with all that is in it', async () => {
    const cloud = await openedWith(rows);
    const { plan } = await cloud.plan();
    expect(plan.steps.map(({ change, record }) => `${change} ${record}`)).toEqual(Array(4).fill('none rename'));
    expectExit(await cloud.apply(plan.digest), 0);
    expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).toEqual([...BY_ID, PROJECT].sort());
  });

  it('is destroyed as one', async () => {
    const cloud = await openedWith(rows);
    expectExit((await confirmed(cloud, 'destroy', 'playbook.yaml')).done, 0);
    expect(cloud.writes).toEqual([expect.stringMatching(/^DELETE \/v3\/projects\//)]);
    expect((await owned(cloud)).document.owned).toEqual([]);
  });
});

describe('protection where no fact pairs number and id', () => {
  it('keeps the project that holds what is protected', async () => {
    const cloud = await openedWith([namelessRow, ...protectedInside()]);
    declare(cloud, [WEB]);
    const { done } = await confirmed(cloud, 'destroy', 'playbook.yaml');
    expectExit(done, 2);
    expect(cloud.writes).toEqual([]);
    declare(cloud, [OTHER]);
    const left = await orphans(cloud, 'playbook.yaml', '--plan-destroy', 'removal.yaml');
    expect(left.document.orphans.map(({ urn }) => urn)).toContain(PROJECT);
    expect(() => cloud.readText('removal.yaml')).toThrow();
  });

  it('keeps a project that is owned by its number for what is protected by its id', async () => {
    const cloud = await openedWith([
      { ...numberRow, protect: false },
      { ...dnsRow, protect: true },
    ]);
    declare(cloud, [OTHER]);
    await orphans(cloud, 'playbook.yaml', '--plan-destroy', 'removal.yaml');
    expect(() => cloud.readText('removal.yaml')).toThrow();
  });

  it('holds an explicit deletion, and blocks it where nobody can tell', async () => {
    const cloud = await openedWith(protectedInside());
    declare(cloud, [disable('acme-web')]);
    expect(stepAt((await cloud.plan()).plan, 'off').held).toBe('protected');
    cloud.deny(`/v3/projects/${NUMBER}`);
    expect(stepAt((await cloud.plan()).plan, 'off').held).toBe('protected');
    cloud.deny('/v3/projects/acme-web');
    const { plan } = await cloud.plan();
    expect(stepAt(plan, 'off')).toMatchObject({ change: 'blocked' });
    expect(stepAt(plan, 'off').diagnostics).toMatchObject([
      { code: 'BLOCKED', detail: expect.stringContaining(NUMBERED_DNS), hint: expect.stringContaining('infra forget') },
    ]);
    expectExit(await cloud.apply(plan.digest), 5);
    expect(cloud.writes).toEqual([]);
  });

  it('makes orphans an error where nobody can tell whether the project holds it', async () => {
    const cloud = await openedWith([namelessRow, ...protectedInside()]);
    declare(cloud, [OTHER]);
    cloud.deny(`/v3/projects/${NUMBER}`);
    cloud.deny('/v3/projects/acme-web');
    const failed = await cloud.fail(['orphans', 'playbook.yaml', '--plan-destroy', 'removal.yaml']);
    expectExit(failed, 5);
    expect(failed.failure.diagnostics).toMatchObject([{ code: 'BLOCKED', urn: PROJECT }]);
  });

  it('goes by the newest word under any of the names', async () => {
    const both = (first: boolean, second: boolean) => [
      webRow,
      { ...(rowsInside()[2] ?? dnsRow), protect: first },
      { ...dnsRow, protect: second },
    ];
    for (const [first, second, held] of [
      [true, false, null],
      [false, true, 'protected'],
    ] as const) {
      const cloud = await openedWith(both(first, second));
      declare(cloud, INSIDE.slice(1, 2));
      const { document } = await json(cloud, verbPlanSchema, 'destroy', 'playbook.yaml');
      expect(stepAt(document, 'dns').held).toBe(held);
    }
  });
});

describe('one resource that two stacks own under two names', () => {
  it.each(['acme-web', NUMBER])('is the orphan of none, and told to both: %s', async (name) => {
    const [, , urn = ''] = inProject(name);
    const theirs = { urn, desired: { project_id: name, service: 'dns.googleapis.com' }, stack: 'net' };
    const cloud = await openedWith([webRow, theirs]);
    expectExit(await cloud.converge(), 0);
    declare(cloud, [OTHER], 'net');
    const left = await orphans(cloud, 'playbook.yaml', '--plan-destroy', 'removal.yaml');
    expectExit(left, 0);
    expect(left.document).toMatchObject({ orphans: [], conflicts: [{ stacks: ['net', 'prod'] }] });
    expect(left.document.aliases).toEqual(
      name === NUMBER ? [{ resource_id: 'acme-web/dns.googleapis.com', urns: [NUMBERED_DNS, DNS] }] : [],
    );
    expect(() => cloud.readText('removal.yaml')).toThrow();
  });
});

describe('both names owned by one stack', () => {
  const rows = [webRow, ...rowsInside(), dnsRow];

  it('become one with the next apply, and are shown once', async () => {
    const cloud = await openedWith(rows);
    const seen = await drift(cloud, 'playbook.yaml');
    expect(Object.keys(verdicts(seen)).filter((urn) => urn.includes('dns'))).toEqual([DNS]);
    const { plan } = await cloud.plan();
    expect(stepAt(plan, 'dns')).toMatchObject({ change: 'none', record: 'rename' });
    expectExit(await cloud.apply(plan.digest), 0);
    expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).toEqual([...BY_ID, PROJECT].sort());
    expect(stepAt((await cloud.plan()).plan, 'dns').record).toBeNull();
  });

  it('are given up together', async () => {
    const cloud = await openedWith(rows);
    declare(cloud, INSIDE.slice(1, 2));
    expectExit((await confirmed(cloud, 'destroy', 'playbook.yaml')).done, 0);
    const left = (await owned(cloud)).document.owned.map(({ urn }) => urn);
    expect(left.filter((urn) => urn.includes('dns'))).toEqual([]);
  });
});

describe('two steps about one resource under two names', () => {
  const pairs: readonly (readonly [string, readonly Step[]])[] = [
    ['a service', [enable('dns', { project_id: 'acme-web', service: 'dns.googleapis.com' }), disable(NUMBER)]],
    ['a project', [WEB, remove(NUMBER)]],
  ];
  it.each(pairs)('are refused, by the log and by the cloud: %s', async (_, steps) => {
    const [first, second] = steps.map(({ step }) => step);
    for (const [rows, flags] of [
      [[webRow], ['--offline']],
      [[], []],
    ] as const) {
      const cloud = await openedWith(rows);
      declare(cloud, steps);
      const failed = await cloud.fail(['plan', 'playbook.yaml', ...flags]);
      expectExit(failed, 3);
      expect(failed.failure.diagnostics).toMatchObject([
        { code: 'DUPLICATE_URN', detail: expect.stringMatching(new RegExp(`${first} at .*${second} at `)) },
      ]);
    }
  });
});

describe('either name', () => {
  it('is a target of drift and orphans, and what is forgotten', async () => {
    const cloud = await openedWith([webRow, ...rowsInside()]);
    for (const urn of [DNS, NUMBERED_DNS]) {
      expect(Object.keys(verdicts(await drift(cloud, 'playbook.yaml', '--target', urn)))).toEqual([NUMBERED_DNS]);
      expect(verdicts(await drift(cloud, 'playbook.yaml', '--exclude', urn))).not.toHaveProperty(NUMBERED_DNS);
    }
    declare(cloud, [OTHER]);
    for (const urn of [DNS, NUMBERED_DNS]) {
      const one = await orphans(cloud, 'playbook.yaml', '--target', urn);
      expect(one.document.orphans.map((orphan) => orphan.urn)).toEqual([NUMBERED_DNS]);
    }
    const forget = ['forget', DNS, '--endpoint', cloud.emulator.url];
    const shown = JSON.parse((await cloud.run([...forget, '--format', 'json'])).stdout);
    expectExit(await cloud.run([...forget, '--confirm', shown.digest]), 0);
    expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).not.toContain(NUMBERED_DNS);
    expectExit(await cloud.run([...forget, '--confirm', shown.digest]), 0);
  });
});

it('a project is deleted by its number', async () => {
  const cloud = await openedWith([webRow]);
  declare(cloud, [remove(NUMBER)]);
  expectExit(await cloud.converge(), 0);
  expect((await owned(cloud)).document.owned).toEqual([]);
});
