import { expect, it } from 'vitest';
import { type Cloud, codesOf, expectExit, linesOf, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { driftSchema, json, ownedSchema, verdicts } from '../../support/e2e/ownership.ts';
import { folder } from '../../support/e2e/playbooks.ts';

const LOG = '.infra/eventlog.jsonl';
const FOLDER = `google:cloudresourcemanager:folder:${ORG}/one`;

/** A cloud at an endpoint that the playbook names, with a folder made there. */
async function converged(): Promise<Cloud> {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('one', { parent: ORG, display_name: 'one' })] });
  expectExit(await cloud.converge(), 0);
  return cloud;
}

/** The same log with rows of the real cloud as well. */
function mix(cloud: Cloud): void {
  const rows = linesOf(cloud.readText(LOG));
  const other = rows.map((row) =>
    // Another hash: it is another row.
    row
      .replaceAll(`"target":"${cloud.emulator.url}"`, '"target":"cloud"')
      .replaceAll('/one', '/two')
      .replace(/"hash":"./, '"hash":"x'),
  );
  cloud.writeText('mixed.jsonl', `${[...rows, ...other].join('\n')}\n`);
}

const owned = (cloud: Cloud, ...argv: readonly string[]) => json(cloud, ownedSchema, 'log', 'owned', ...argv);

it('log owned and forget need no target where all rows of the log name the same one', async () => {
  const cloud = await converged();
  const shown = await owned(cloud);
  expect(shown.document).toMatchObject({ target: cloud.emulator.url, owned: [{ urn: FOLDER }] });
  expect((await owned(cloud, '--at', '2999-01-01')).document.owned).toHaveLength(1);
  const preview = await cloud.run(['forget', FOLDER, '--format', 'json']);
  expectExit(preview, 0);
  const { digest, target } = JSON.parse(preview.stdout);
  expect(target).toBe(cloud.emulator.url);
  expectExit(await cloud.run(['forget', FOLDER, '--confirm', digest]), 0);
  expect(cloud.rows.at(-1)).toMatchObject({ target: cloud.emulator.url, provider_fact: { forgotten: true } });
  expect((await owned(cloud)).document).toMatchObject({ owned: [], tombstoned: 1 });
});

it('rows of several targets are never mixed: without a flag it is the real cloud, and the others are named', async () => {
  const cloud = await converged();
  mix(cloud);
  const plain = await owned(cloud, '--eventlog', 'mixed.jsonl');
  expect(plain.document).toMatchObject({ target: 'cloud', owned: [{ urn: FOLDER.replace('/one', '/two') }] });
  expect(plain.stderr).toContain(`--endpoint ${cloud.emulator.url}`);
  const there = await owned(cloud, '--eventlog', 'mixed.jsonl', '--endpoint', cloud.emulator.url);
  expect(there.document).toMatchObject({ target: cloud.emulator.url, owned: [{ urn: FOLDER }] });
  expectExit(await cloud.fail(['forget', FOLDER, '--eventlog', 'mixed.jsonl']), 5);
});

it('drift and recover look where the rows say only with the leave of the caller', async () => {
  const cloud = await converged();
  cloud.resetRequests();
  const refused = await json(cloud, driftSchema, 'drift', '--format', 'json');
  expectExit(refused, 2);
  expect(verdicts(refused)).toEqual({ [FOLDER]: 'unchecked' });
  expect(cloud.requests).toEqual([]);
  const recovered = await cloud.run(['recover', '--format', 'json']);
  expectExit(recovered, 0);
  expect(JSON.parse(recovered.stdout)).toMatchObject({ target: cloud.emulator.url, unresolved: [] });
});

it("the emulator's rows are told without a flag where nothing has to be looked at", async () => {
  const cloud = await openCloudInside();
  cloud.write({ defaults: { stack: 'prod' }, steps: [folder('one', { parent: ORG, display_name: 'one' })] });
  expectExit(await cloud.converge('--emulator'), 0);
  const log = ['--eventlog', '.infra/emulator/eventlog.jsonl'];
  expect((await owned(cloud, ...log)).document).toMatchObject({ target: 'emulator', owned: [{ urn: FOLDER }] });
  const drift = await json(cloud, driftSchema, 'drift', ...log);
  expect(drift.document.resources).toEqual([]);
  expect(drift.stderr).toContain('--emulator');
  expect(codesOf(drift.document.diagnostics)).toEqual([]);
});
