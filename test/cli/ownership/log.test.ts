import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Cloud, codesOf, expectExit, linesOf, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { drift, json, owned, verifySchema, whySchema } from '../../support/e2e/ownership.ts';
import { folder, grant, project } from '../../support/e2e/playbooks.ts';
import { changesBetween, treeOf } from '../../support/safety/tree.ts';

const LOG = '.infra/eventlog.jsonl';
const FOLDER = `google:cloudresourcemanager:folder:${ORG}/one`;
const PROJECT = 'google:cloudresourcemanager:project:acme-web';

async function converged(): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      folder('one', { parent: ORG, display_name: 'one' }),
      project('web', { project_id: 'acme-web', parent: '{{ steps.one.resource.name }}' }),
    ],
  });
  expectExit(await cloud.converge(), 0);
  return cloud;
}

const verify = (cloud: Cloud, ...argv: readonly string[]) => json(cloud, verifySchema, 'log', 'verify', ...argv);

it('verify finds the chain whole, and the head that an apply named', async () => {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('one', { parent: ORG, display_name: 'one' })] });
  expect((await verify(cloud)).document).toMatchObject({ ok: true, rows: 0, first_bad: null });
  const { report } = await cloud.converge();
  const sound = await verify(cloud, '--head', report.head ?? '');
  expectExit(sound, 0);
  expect(sound.document).toMatchObject({ ok: true, rows: 3, first_bad: null, head: report.head });
  const other = await verify(cloud, '--head', `3:${'0'.repeat(64)}`);
  expectExit(other, 5);
  expect(other.document).toMatchObject({ ok: false, first_bad: null });
  expectExit(await cloud.fail(['log', 'verify', '--head', 'nonsense']), 3);
});

it('verify says of which rows nothing shows whether they are as they were written', async () => {
  const cloud = await converged();
  const rows = cloud.rows.length;
  const fact = JSON.stringify({
    provider_fact: cloud.rows.find(({ type }) => type === 'provider.fact')?.['provider_fact'],
  });
  cloud.writeText('noetl.jsonl', `${fact}\n`);
  const foreign = ['--eventlog', 'noetl.jsonl'];
  expect((await verify(cloud)).document).toMatchObject({ ok: true, rows, unsealed: 0 });
  expect((await verify(cloud, ...foreign)).document).toMatchObject({ ok: true, rows: 1, unsealed: 1 });
  const alone = await cloud.run(['log', 'verify', ...foreign]);
  expect(alone.stdout).toContain('1 row: it carries no seal, so nothing shows whether it is as it was written.');
  cloud.writeText('mixed.jsonl', `${cloud.readText(LOG)}${fact}\n{"provider_fa`);
  const mixed = await cloud.run(['log', 'verify', '--eventlog', 'mixed.jsonl']);
  expectExit(mixed, 0);
  expect(mixed.stdout).toContain(`${rows + 1} rows: 1 carries no seal`);
  expect(mixed.stdout).toContain('LOG_TORN');
});

it('one changed byte of any row makes verify name that row; an apply then refuses', async () => {
  const cloud = await converged();
  const lines = linesOf(cloud.readText(LOG));
  for (const [index, line] of lines.entries()) {
    // In the payload, in what seals it, and in its number.
    for (const at of [line.indexOf('"urn"') + 8, line.lastIndexOf('"hash"') + 12, line.indexOf('T') + 2]) {
      const changed = `${line.slice(0, at)}${line[at] === 'x' ? 'y' : 'x'}${line.slice(at + 1)}`;
      writeFileSync(join(cloud.folder, LOG), `${lines.with(index, changed).join('\n')}\n`);
      const broken = await verify(cloud);
      expectExit(broken, 5);
      expect(broken.document, `byte ${at} of row ${index + 1}`).toMatchObject({
        ok: false,
        first_bad: { line: index + 1 },
      });
      expect(codesOf(broken.document.diagnostics)).toEqual(['CHAIN_BROKEN']);
    }
  }
  const { plan } = await cloud.plan();
  cloud.resetRequests();
  const failed = await cloud.fail(['apply', 'playbook.yaml', '--confirm', plan.digest ?? '']);
  expectExit(failed, 5);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['CHAIN_BROKEN']);
  expect(cloud.requests).toEqual([]);
});

it('show lists rows, narrowed by stack, subject and number; nothing is written by looking', async () => {
  const cloud = await converged();
  const before = treeOf(cloud.folder);
  const rows = async (...argv: readonly string[]) =>
    JSON.parse((await cloud.run(['log', 'show', '--format', 'json', ...argv])).stdout).rows;
  expect(await rows()).toEqual(cloud.rows);
  expect(await rows('--limit', '2')).toEqual(cloud.rows.slice(-2));
  expect(await rows('--stack', 'other')).toEqual([]);
  expect(await rows('--stack', 'prod')).toHaveLength(cloud.rows.length);
  const about = await rows('--target', 'web');
  expect(about.map(({ type }: { type: string }) => type).sort()).toEqual([
    'provider.fact',
    'provider.intent',
    'provider.outcome',
  ]);
  expect(await rows('--target', PROJECT)).toEqual(about);
  const human = await cloud.run(['log', 'show']);
  expect(human.stdout).toContain(`about to create ${PROJECT}`);
  expect(changesBetween(before, treeOf(cloud.folder))).toEqual([]);
  expectExit(await cloud.fail(['log', 'shwo']), 3);
});

it('owned lists what is owned, and what was at a time', async () => {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('one', { parent: ORG, display_name: 'one' })] });
  expectExit(await cloud.converge(), 0);
  const between = String(cloud.rows.at(-1)?.['recorded_at']);
  cloud.write({
    defaults: { stack: 'dev' },
    steps: [grant('team', { organization: ORG, role: 'roles/browser', member: 'group:team@example.com' })],
  });
  expectExit(await cloud.converge(), 0);
  const now = await owned(cloud);
  expectExit(now, 0);
  expect(now.document.owned).toEqual([
    expect.objectContaining({
      urn: FOLDER,
      stack: 'prod',
      provider: 'google',
      resource_id: expect.stringMatching(/^folders\//),
      protected: true,
      since: expect.any(String),
    }),
    expect.objectContaining({ stack: 'dev', resource_type: 'binding', protected: false }),
  ]);
  expect((await owned(cloud, '--stack', 'dev')).document.owned).toHaveLength(1);
  expect((await owned(cloud, '--at', between)).document.owned.map(({ urn }) => urn)).toEqual([FOLDER]);
  expect((await owned(cloud, '--at', '2020-01-01')).document.owned).toEqual([]);
  expectExit(await cloud.fail(['log', 'owned', '--at', 'yesterday']), 3);
});

it('owned and drift say so where the log is about other targets only', async () => {
  const cloud = await converged();
  const said = `its rows are about ${cloud.emulator.url} (--endpoint ${cloud.emulator.url})`;
  const elsewhere = ['--endpoint', 'http://127.0.0.1:9'];
  const away = await cloud.run(['log', 'owned', ...elsewhere]);
  expectExit(away, 0);
  expect(away.stderr).toContain(said);
  expect((await cloud.run(['drift', ...elsewhere])).stderr).toContain(said);
  expect((await owned(cloud)).stderr).toBe('');
});

it('why tells the history of a resource under every name that it had', async () => {
  const cloud = await converged();
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      folder('one', { parent: ORG, display_name: 'two', was: { display_name: 'one' } }),
      project('web', { project_id: 'acme-web', parent: '{{ steps.one.resource.name }}' }),
    ],
  });
  expectExit(await cloud.converge(), 0);
  const renamed = `google:cloudresourcemanager:folder:${ORG}/two`;
  const { document, ...ended } = await json(cloud, whySchema, 'why', renamed);
  expectExit(ended, 0);
  const old = await json(cloud, whySchema, 'why', FOLDER);
  expect(old.document.history).toEqual(document.history);
  expect(document.history.length).toBeGreaterThanOrEqual(6);
  const human = await cloud.run(['why', renamed]);
  expect(human.stdout).toContain(`renamed from ${FOLDER}`);
  const unknown = await json(cloud, whySchema, 'why', 'google:nothing');
  expectExit(unknown, 0);
  expect(unknown.document.history).toEqual([]);
});

it('forget gives up what is owned with no call to any cloud, once its digest is confirmed', async () => {
  const cloud = await converged();
  cloud.resetRequests();
  const forget = ['forget', PROJECT, '--endpoint', cloud.emulator.url];
  const shown = await cloud.run([...forget, '--format', 'json']);
  expectExit(shown, 0);
  const { digest } = JSON.parse(shown.stdout);
  expect(JSON.parse(shown.stdout)).toMatchObject({ command: 'forget', urn: PROJECT, stack: 'prod', forgotten: false });
  expect((await cloud.run(forget)).stdout).toContain(`--confirm ${digest}`);
  expectExit(await cloud.fail([...forget, '--confirm', 'ab'.repeat(32)]), 5);
  expect((await owned(cloud)).document.owned).toHaveLength(2);
  const done = await cloud.run([...forget, '--confirm', digest, '--format', 'json']);
  expectExit(done, 0);
  expect(JSON.parse(done.stdout)).toMatchObject({
    forgotten: true,
    provider_fact: { outcome: 'absent', forgotten: true },
  });
  expect((await owned(cloud)).document).toMatchObject({
    owned: [expect.objectContaining({ urn: FOLDER })],
    tombstoned: 1,
  });
  expect(cloud.requests).toEqual([]);
  expect(cloud.projectOf('acme-web').state).toBe('ACTIVE');
  // What is done already may be confirmed again, and nothing more is written.
  expectExit(await cloud.run([...forget, '--confirm', digest]), 0);
  expectExit(await cloud.fail([...forget, '--confirm', digest, '--eventlog', 'https://noetl.example']), 3);
  expect((await verify(cloud)).document.ok).toBe(true);
});

it('execution_id 9223372036854775807 comes out as it went in', async () => {
  const cloud = await openCloudInside({ seed: { projects: [{ projectId: 'acme-web', number: '555', parent: ORG }] } });
  const fact = {
    urn: PROJECT,
    provider: 'google',
    service: 'cloudresourcemanager',
    resource_type: 'project',
    verb: 'ensure',
    stack: 'prod',
    desired: { project_id: 'acme-web', parent: ORG },
    execution_id: 0,
    outcome: 'changed',
  };
  const line = JSON.stringify({ provider_fact: fact }).replace(
    '"execution_id":0',
    '"execution_id":9223372036854775807',
  );
  cloud.writeText('noetl.jsonl', `${line}\n`);
  const log = ['--eventlog', 'noetl.jsonl'];
  const exact = /"(last_)?execution_id": ?9223372036854775807\b/;
  const target = ['--endpoint', cloud.emulator.url];
  for (const argv of [
    ['log', 'owned', ...target],
    ['log', 'show'],
    ['why', PROJECT],
  ]) {
    const [json, lines] = [
      await cloud.run([...argv, ...log, '--format', 'json']),
      await cloud.run([...argv, ...log, '--format', 'ndjson']),
    ];
    expect(json.stdout).toMatch(exact);
    if (argv[1] === 'show') expect(lines.stdout).toMatch(exact);
  }
  expect((await cloud.run(['why', PROJECT, ...log])).stdout).toContain('execution 9223372036854775807');
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('x', { parent: ORG, display_name: 'x' })] });
  for (const format of ['json', 'ndjson']) {
    expect((await cloud.run(['orphans', 'playbook.yaml', '--format', format, ...log])).stdout).toMatch(exact);
  }
  expect((await drift(cloud, 'playbook.yaml', ...log)).document.summary).toMatchObject({ in_sync: 1 });
});
