import { expect, it } from 'vitest';
import { expectExit, parsed } from '../../support/e2e/cloud.ts';
import { driftSchema } from '../../support/e2e/ownership.ts';
import { ADDRESSES, everywhere, openYcCloudInside, type YcCloud } from '../../support/e2e/yandex.ts';

async function converged(): Promise<YcCloud> {
  const cloud = await openYcCloudInside();
  expectExit(await cloud.converge(), 0);
  return cloud;
}

/** As if the log had never been. */
function forgetAll(cloud: YcCloud): void {
  cloud.writeText('.infra/eventlog.jsonl', '');
}

async function drift(cloud: YcCloud, ...flags: readonly string[]) {
  cloud.fake.clearCommands();
  const ended = await cloud.run(['drift', 'playbook.yaml', '--format', 'json', ...flags]);
  const { resources } = parsed(ended, driftSchema);
  const entries = new Map(resources.map((entry) => [entry.urn.replace(/.*\//, '').replaceAll('-', '_'), entry]));
  const verdicts = Object.fromEntries([...entries].map(([name, entry]) => [name, entry.drift]));
  return { ...ended, entries, verdicts };
}

/** How often each command was sent; more than once is more than is needed. */
function repeated(cloud: YcCloud): readonly string[] {
  return cloud.commands.filter((words, index, all) => all.indexOf(words) !== index);
}

it('what is live and not owned is untracked, whatever of it is named by what another step makes', async () => {
  const cloud = await converged();
  forgetAll(cloud);
  const found = await drift(cloud);
  expectExit(found, 2);
  expect(found.verdicts).toEqual(everywhere('untracked'));
  expect(repeated(cloud)).toEqual([]);
  expect(cloud.writes).toEqual([]);
}, 60_000);

it('the same of a machine alone, where all that it stands on is owned', async () => {
  const cloud = await converged();
  const rows = cloud.readText('.infra/eventlog.jsonl').split('\n');
  cloud.writeText('.infra/eventlog.jsonl', rows.filter((row) => !row.includes('compute:instance')).join('\n'));
  // Known by its id alone, as the log has it.
  const [network] = Object.keys(cloud.fake.state().resources.network);
  await cloud.yc('vpc', 'network', 'update', network ?? '', '--new-name', 'theirs');
  const found = await drift(cloud);
  expect(found.verdicts).toEqual({ ...everywhere('in_sync'), network: 'modified', instance: 'untracked' });
  expect(repeated(cloud)).toEqual([]);
}, 60_000);

it('what is not live is not managed, also where what it would stand on is there or not', async () => {
  const cloud = await openYcCloudInside();
  expect((await drift(cloud)).verdicts).toEqual(everywhere('not_managed'));
  const { plan } = await cloud.plan('--target', 'network');
  expectExit(await cloud.apply(plan.digest, '--target', 'network'), 0);
  forgetAll(cloud);
  expect((await drift(cloud)).verdicts).toEqual({ ...everywhere('not_managed'), network: 'untracked' });
}, 60_000);

it('what could not be looked up is unchecked, with the reason', async () => {
  const cloud = await converged();
  forgetAll(cloud);
  cloud.fake.addFaults({ match: 'vpc network list', action: { kind: 'exit', when: 'before' } });
  const found = await drift(cloud);
  expectExit(found, 2);
  const rest = { address: 'untracked', boot_disk: 'untracked' };
  expect(found.verdicts).toEqual({ ...everywhere('unchecked'), ...rest });
  for (const address of ADDRESSES.filter((each) => !(each in rest)))
    expect(found.entries.get(address)?.why).toContain('networks of the folder');
}, 60_000);
