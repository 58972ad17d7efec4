import { expect, it } from 'vitest';
import { expectExit, openCloud } from '../../support/e2e/cloud.ts';
import { drift, founded } from '../../support/e2e/ownership.ts';
import { changesBetween, treeOf } from '../../support/safety/tree.ts';

const converged = async () => founded(await openCloud());

it('what an apply wrote is folded by another process: all in sync, read only, nothing written', async () => {
  const cloud = await converged();
  const before = treeOf(cloud.folder);
  const found = await drift(cloud, 'playbook.yaml');
  expectExit(found, 0);
  expect(found.document.summary).toMatchObject({ in_sync: 5, modified: 0, unchecked: 0 });
  expect(cloud.writes).toEqual([]);
  expect(cloud.reads.length).toBeGreaterThan(0);
  expect(changesBetween(before, treeOf(cloud.folder))).toEqual([]);
});

it('takes its log from stdin', async () => {
  const cloud = await converged();
  const log = cloud.readText('.infra/eventlog.jsonl');
  const { ended } = cloud.start(['drift', 'playbook.yaml', '--eventlog', '-', '--format', 'json'], {}, log);
  const done = await ended;
  expectExit(done, 0);
  expect(JSON.parse(done.stdout).summary.in_sync).toBe(5);
  const empty = await cloud.start(['drift', 'playbook.yaml', '--eventlog', '-', '--format', 'json']).ended;
  expect(JSON.parse(empty.stdout).summary).toMatchObject({ in_sync: 0, untracked: 5 });
});
