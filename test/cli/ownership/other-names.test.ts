import { expect, it } from 'vitest';
import { type Cloud, expectExit, ORG, openCloudInside, stepAt } from '../../support/e2e/cloud.ts';
import { confirmed, drift, orphans, owned, verdicts } from '../../support/e2e/ownership.ts';
import { folder } from '../../support/e2e/playbooks.ts';

const FOLDER = 'google:cloudresourcemanager:folder:';
const BY_ID = `${FOLDER}folders/900/sub`;
const BY_PATH = `${FOLDER}${ORG}/top/sub`;

/** A log that knows the nested folder by its parent's number, with and without the cloud's own ids. */
async function withForeignLog(ids: boolean): Promise<Cloud> {
  const cloud = await openCloudInside({
    seed: {
      folders: [
        { id: '900', displayName: 'top', parent: ORG },
        { id: '901', displayName: 'sub', parent: 'folders/900' },
      ],
    },
  });
  cloud.write({
    defaults: { stack: 'prod' },
    steps: [
      folder('top', { parent: ORG, display_name: 'top' }),
      folder('sub', { parent: '{{ steps.top.resource.name }}', display_name: 'sub' }),
    ],
  });
  const rows = [
    fact(`${FOLDER}${ORG}/top`, ORG, 'top', ids ? '900' : null),
    fact(BY_ID, 'folders/900', 'sub', ids ? '901' : null),
  ];
  cloud.writeText('.infra/eventlog.jsonl', rows.map((row) => `${JSON.stringify({ provider_fact: row })}\n`).join(''));
  return cloud;
}

function fact(urn: string, parent: string, name: string, id: string | null): object {
  return {
    urn,
    provider: 'google',
    service: 'cloudresourcemanager',
    resource_type: 'folder',
    verb: 'ensure',
    stack: 'prod',
    desired: { parent, display_name: name },
    execution_id: 5,
    outcome: 'changed',
    ...(id === null ? {} : { resource_id: `folders/${id}` }),
  };
}

it.each([
  ['with the ids of the cloud', true],
  ['without any id', false],
])('a folder that the log knows by the number of its parent is the declared one, %s', async (_, ids) => {
  const cloud = await withForeignLog(ids);
  const left = await orphans(cloud, 'playbook.yaml');
  expectExit(left, 0);
  expect(left.document.orphans).toEqual([]);
  const seen = await drift(cloud, 'playbook.yaml');
  expect(verdicts(seen)).toEqual({ [`${FOLDER}${ORG}/top`]: 'in_sync', [BY_ID]: 'in_sync' });
  const { plan } = await cloud.plan();
  expect(stepAt(plan, 'sub')).toMatchObject({ change: 'none', record: 'rename' });
  expectExit(await cloud.apply(plan.digest), 0);
  expect((await owned(cloud)).document.owned.map(({ urn }) => urn)).toEqual([`${FOLDER}${ORG}/top`, BY_PATH]);
});

it('an adoption of what is owned by another name gives that name up', async () => {
  const cloud = await withForeignLog(true);
  const { planned, done } = await confirmed(cloud, 'adopt', 'playbook.yaml');
  expect(stepAt(planned.document, 'sub')).toMatchObject({ change: 'adopt', record: 'rename' });
  expectExit(done, 0);
  const facts = cloud.rows.map((row) => row['provider_fact']).slice(-2);
  expect(facts).toMatchObject([
    { urn: BY_PATH, verb: 'adopt', outcome: 'adopted', renamed_from: BY_ID },
    { urn: BY_ID, verb: 'delete', outcome: 'absent', renamed_to: BY_PATH },
  ]);
  expect((await owned(cloud)).document.owned).toHaveLength(2);
});

it('exec gives the other name up, too, and does so once', async () => {
  const cloud = await withForeignLog(true);
  const step = (more: object) =>
    folder('sub', { parent: 'folders/900', display_name: 'sub' }, { reconcile: 'adopt', stack: 'prod', ...more });
  const rows = [fact(BY_PATH, 'folders/900', 'sub', '901')];
  cloud.writeText('.infra/eventlog.jsonl', rows.map((row) => `${JSON.stringify({ provider_fact: row })}\n`).join(''));
  cloud.write({ steps: [step({ dry_run: true })] });
  const dry = await cloud.exec();
  const confirm = dry.lines[0]?.data['plan_digest'];
  cloud.write({ steps: [step({ dry_run: false, confirm })] });
  for (const run of [1, 2]) {
    const done = await cloud.exec();
    expectExit(done, 0);
    expect(done.lines[0]?.data, `run ${run}`).toMatchObject({ adopted: true, plan_digest: confirm });
  }
  expect(cloud.rows.map((row) => row['provider_fact'])).toMatchObject([
    { urn: BY_PATH },
    { urn: BY_ID, verb: 'adopt', renamed_from: BY_PATH },
    { urn: BY_PATH, verb: 'delete', renamed_to: BY_ID },
  ]);
});
