import { expect, it } from 'vitest';
import { ACCOUNT, codesOf, expectExit, linesOf, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { eventSchema } from '../../support/e2e/contract.ts';
import { drift, founded, verdicts } from '../../support/e2e/ownership.ts';
import { folder } from '../../support/e2e/playbooks.ts';

const FOLDER = `google:cloudresourcemanager:folder:${ORG}/00-shared`;
const PROJECT = 'google:cloudresourcemanager:project:acme-dns';
const TEAM = `google:iam:binding:${ORG}/roles/browser/group:team@example.com`;

const FORBIDDEN = {
  kind: 'respond',
  status: 403,
  body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'The caller does not have permission' } },
} as const;

const converged = async () => founded(await openCloudInside());

it('tells missing, modified and in sync apart, with the fields', async () => {
  const cloud = await converged();
  await cloud.outOfBand('PATCH', '/v3/projects/acme-dns?updateMask=labels', { labels: { team: 'other' } });
  await cloud.outOfBand('POST', `/v3/${ORG}:setIamPolicy`, { policy: { bindings: [], version: 3 } });
  const found = await drift(cloud, 'playbook.yaml');
  expectExit(found, 2);
  expect(verdicts(found)).toMatchObject({ [FOLDER]: 'in_sync', [PROJECT]: 'modified', [TEAM]: 'missing' });
  const modified = found.document.resources.find(({ urn }) => urn === PROJECT);
  expect(modified).toMatchObject({
    fields: ['labels'],
    diff: { labels: { desired: { team: 'dns' }, actual: { team: 'other' } } },
  });
  const human = await cloud.run(['drift', 'playbook.yaml']);
  expectExit(human, 2);
  expect(human.stdout).toContain('Missing: owned, and gone (1)');
  expect(human.stdout).toContain('labels.team: declared dns, live other');
  expect(human.stdout).toContain('Drift: 3 in sync, 1 missing, 1 modified.');
});

it('what was deleted is missing, with the date until which it can be restored', async () => {
  const cloud = await converged();
  await cloud.outOfBand('DELETE', '/v3/projects/acme-dns');
  const found = await drift(cloud, 'playbook.yaml', '--target', PROJECT);
  expectExit(found, 2);
  expect(found.document.resources).toEqual([
    expect.objectContaining({ urn: PROJECT, drift: 'missing', purge_time: expect.stringMatching(/^\d{4}-/) }),
  ]);
});

it('a resource that answers 403 is unchecked; the others are looked at, and it says so', async () => {
  const cloud = await converged();
  for (const path of ['/v1/projects/acme-dns/billingInfo', `/v1/${ACCOUNT}/projects`])
    cloud.emulator.addFault({ path, action: FORBIDDEN });
  const found = await drift(cloud, 'playbook.yaml');
  expectExit(found, 2);
  expect(found.document.summary).toMatchObject({ in_sync: 4, unchecked: 1, missing: 0 });
  expect(found.document.resources.find(({ drift: verdict }) => verdict === 'unchecked')?.why).toMatch(/./);
  expect((await cloud.run(['drift', 'playbook.yaml'])).stdout).toContain('1 resource could not be checked');
});

it('without any auth everything is unchecked, and nothing is missing', async () => {
  const cloud = await converged();
  const found = await drift(cloud, '--endpoint', cloud.emulator.url);
  expectExit(found, 2);
  expect(found.document.summary).toMatchObject({ unchecked: 5, missing: 0, in_sync: 0 });
  for (const { why } of found.document.resources) expect(why).toContain('has no playbook to take an auth from');
  expect(cloud.requests).toEqual([]);
});

it("without a playbook the caller's own credential is used, by name or by stack", async () => {
  const cloud = await converged();
  cloud.writeText(
    '.config/infra/config.yaml',
    'credentials: { reader: { type: bearer, token_env: INFRA_TEST_TOKEN } }\nstacks: { prod: { credential: reader } }\n',
  );
  for (const flags of [
    ['--credential', 'reader'],
    ['--stack', 'prod'],
  ]) {
    const found = await drift(cloud, '--endpoint', cloud.emulator.url, ...flags);
    expectExit(found, 0);
    expect(found.document.summary.in_sync).toBe(5);
  }
  const unknown = await cloud.fail(['drift', '--endpoint', cloud.emulator.url, '--credential', 'readr']);
  expectExit(unknown, 3);
  expect(codesOf(unknown.failure.diagnostics)).toEqual(['UNKNOWN_CREDENTIAL']);
});

it("a caller's token does not go to an endpoint that only the playbook names", async () => {
  const cloud = await converged();
  cloud.writeText(
    '.config/infra/config.yaml',
    'credentials: { reader: { type: bearer, token_env: INFRA_TEST_TOKEN } }\n',
  );
  const found = await drift(cloud, 'playbook.yaml', '--credential', 'reader');
  expectExit(found, 2);
  expect(found.document.summary.unchecked).toBe(5);
  expect(cloud.requests).toEqual([]);
});

it('folds further logs beside its own', async () => {
  const cloud = await converged();
  const log = cloud.readText('.infra/eventlog.jsonl');
  cloud.writeText('elsewhere/old.jsonl', log);
  cloud.writeText('none.jsonl', '');
  const found = await drift(
    cloud,
    'playbook.yaml',
    '--eventlog',
    'none.jsonl',
    '--read-eventlog',
    'elsewhere/old.jsonl',
  );
  expectExit(found, 0);
  expect(found.document.summary.in_sync).toBe(5);
});

it('what is declared and live and not owned is untracked, what is neither is not managed', async () => {
  const cloud = await openCloudInside({ seed: { folders: [{ id: '10', displayName: '00-shared', parent: ORG }] } });
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      folder('shared', { parent: ORG, display_name: '00-shared' }),
      folder('new', { parent: ORG, display_name: 'new' }),
    ],
  });
  const found = await drift(cloud, 'playbook.yaml');
  expectExit(found, 2);
  expect(Object.values(verdicts(found)).sort()).toEqual(['not_managed', 'untracked']);
});

it('ignores what infra.yaml says, until it says', async () => {
  const cloud = await converged();
  await cloud.outOfBand('PATCH', '/v3/projects/acme-dns?updateMask=labels', { labels: { team: 'other' } });
  const ignore = (until: string) =>
    cloud.writeText(
      'infra.yaml',
      `ignore: [{ urn: "*:project:acme-*", field: labels, reason: cost centre, until: ${until} }]\n`,
    );
  ignore('2999-01-01');
  const ignored = await drift(cloud, 'playbook.yaml');
  expectExit(ignored, 0);
  expect(ignored.document.summary).toMatchObject({ ignored: 1, modified: 0, in_sync: 4 });
  expect(ignored.document.resources.find(({ urn }) => urn === PROJECT)).toMatchObject({
    drift: 'modified',
    ignored: 'cost centre',
  });
  await cloud.outOfBand('POST', '/v3/projects/acme-dns:move', { destinationParent: ORG });
  const partly = await drift(cloud, 'playbook.yaml');
  expectExit(partly, 2);
  expect(partly.document.resources.find(({ urn }) => urn === PROJECT)).toMatchObject({
    fields: ['parent', 'labels'],
    ignored: null,
    ignored_fields: { labels: 'cost centre' },
  });
  const people = await cloud.run(['drift', 'playbook.yaml']);
  expect(people.stdout).toContain('labels is ignored: cost centre');
  ignore('2020-01-01');
  expectExit(await drift(cloud, 'playbook.yaml'), 2);
});

it('is narrowed by target and stack; a target that is nothing is an error', async () => {
  const cloud = await converged();
  expect((await drift(cloud, 'playbook.yaml', '--target', 'dns')).document.resources).toHaveLength(1);
  expect(
    (await drift(cloud, 'playbook.yaml', '--target', PROJECT, '--target', FOLDER)).document.resources,
  ).toHaveLength(2);
  expect((await drift(cloud, 'playbook.yaml', '--stack', 'other')).document.resources).toEqual([]);
  const unknown = await cloud.fail(['drift', 'playbook.yaml', '--target', 'dsn']);
  expectExit(unknown, 3);
  expect(codesOf(unknown.failure.diagnostics)).toEqual(['UNKNOWN_STEP']);
});

it('streams a line a resource, and writes Markdown beside it', async () => {
  const cloud = await converged();
  await cloud.outOfBand('PATCH', '/v3/projects/acme-dns?updateMask=labels', { labels: { team: 'a_b' } });
  const ended = await cloud.run(['drift', 'playbook.yaml', '--format', 'ndjson', '--out', 'markdown=drift.md']);
  expectExit(ended, 2);
  const events = linesOf(ended.stdout).map((line) => eventSchema.parse(JSON.parse(line)));
  expect(events.map(({ type }) => type)).toEqual(['version', ...Array(5).fill('drift_result'), 'summary']);
  expect(events.at(-1)).toMatchObject({ summary: { in_sync: 4, modified: 1 } });
  const markdown = cloud.readText('drift.md');
  expect(markdown).toContain('### Drift');
  expect(markdown).toContain('acme-dns');
  expect(markdown).not.toContain('a_b');
  expect((await cloud.run(['drift', 'playbook.yaml', '--format', 'markdown'])).stdout).toBe(markdown);
});

it('a log that can not be read whole is no empty log', async () => {
  const cloud = await converged();
  cloud.writeText('broken.jsonl', `${linesOf(cloud.readText('.infra/eventlog.jsonl'))[0]}\n{"half":\n{}\n`);
  const failed = await cloud.fail(['drift', 'playbook.yaml', '--eventlog', 'broken.jsonl']);
  expectExit(failed, 6);
  expect(codesOf(failed.failure.diagnostics)).toEqual(['LOG_INVALID']);
  expect(
    (await drift(cloud, 'playbook.yaml', '--eventlog', 'broken.jsonl', '--skip-invalid')).document.diagnostics,
  ).toEqual([expect.objectContaining({ severity: 'warning', code: 'LOG_INVALID' })]);
});
