import { expect, it } from 'vitest';
import { type Cloud, codesOf, expectExit, ORG, openCloudInside } from '../../support/e2e/cloud.ts';
import { drift, orphans, owned, verdicts } from '../../support/e2e/ownership.ts';
import { folder } from '../../support/e2e/playbooks.ts';

const urn = (name: string) => `google:cloudresourcemanager:folder:${ORG}/${name}`;

/** Two folders that a stack owns; the playbook has forgotten the second one since. */
async function withOrphan(): Promise<Cloud> {
  const cloud = await openCloudInside();
  const [one, two] = ['one', 'two'].map((name) => folder(name, { parent: ORG, display_name: name }));
  cloud.write({ defaults: { stack: 'prod' }, steps: [one, two].flatMap((step) => step ?? []) });
  expectExit(await cloud.converge(), 0);
  cloud.write({ defaults: { stack: 'prod' }, steps: [one].flatMap((step) => step ?? []) });
  cloud.resetRequests();
  return cloud;
}

it('drift takes what is owned as a target, whether the playbook declares it or not, and leaves out what is excluded', async () => {
  const cloud = await withOrphan();
  expect(verdicts(await drift(cloud, 'playbook.yaml', '--target', urn('two')))).toEqual({ [urn('two')]: 'in_sync' });
  expect(verdicts(await drift(cloud, 'playbook.yaml', '--exclude', 'one'))).toEqual({ [urn('two')]: 'in_sync' });
  const unknown = await cloud.fail(['drift', 'playbook.yaml', '--target', urn('three')]);
  expectExit(unknown, 3);
  expect(codesOf(unknown.failure.diagnostics)).toEqual(['UNKNOWN_STEP']);
});

it('offline nothing is sent: drift checks nothing and says why, orphans goes by the log', async () => {
  const cloud = await withOrphan();
  const seen = await drift(cloud, 'playbook.yaml', '--offline');
  expectExit(seen, 2);
  expect(Object.values(verdicts(seen))).toEqual(['unchecked', 'unchecked']);
  expect(seen.document.resources[0]?.why).toContain('offline');
  const left = await orphans(cloud, 'playbook.yaml', '--offline');
  expect(left.document.orphans.map((orphan) => orphan.urn)).toEqual([urn('two')]);
  expect(cloud.requests).toEqual([]);
});

it('orphans leaves out what is excluded', async () => {
  const cloud = await withOrphan();
  const left = await orphans(cloud, 'playbook.yaml', '--exclude', urn('two'));
  expectExit(left, 0);
  expect(left.document.orphans).toEqual([]);
  expectExit(await cloud.fail(['orphans', 'playbook.yaml', '--target', urn('three')]), 3);
});

it('a stack that owns nothing while others do is told, with theirs', async () => {
  const cloud = await withOrphan();
  for (const { document } of [
    await drift(cloud, '--stack', 'pord', '--endpoint', cloud.emulator.url),
    await owned(cloud, '--stack', 'pord'),
    await orphans(cloud, 'playbook.yaml', '--stack', 'pord'),
  ]) {
    expect(codesOf(document.diagnostics)).toContain('UNKNOWN_STACK');
    expect(document.diagnostics[0]?.detail).toContain('prod');
  }
});

it("forget --stack refuses what is another stack's", async () => {
  const cloud = await withOrphan();
  const refused = await cloud.fail(['forget', urn('two'), '--stack', 'dev']);
  expectExit(refused, 5);
  expect(codesOf(refused.failure.diagnostics)).toEqual(['NOT_OURS']);
  expectExit(await cloud.run(['forget', urn('two'), '--stack', 'prod']), 0);
});

it('a flag of the contract that a verb has no use for is told as that', async () => {
  const cloud = await openCloudInside();
  for (const argv of [
    ['why', 'x', '--offline'],
    ['drift', '--take-over', 'prod'],
    ['unlock', 'x', '--stack', 'prod'],
  ]) {
    const refused = await cloud.run(argv);
    expectExit(refused, 3);
    expect(refused.stderr).toContain(`has no meaning for infra ${argv[0]}`);
  }
});
