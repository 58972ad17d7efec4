import { describe, expect, it } from 'vitest';
import type { FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import { codesOf, expectExit, stepAt } from '../../support/e2e/cloud.ts';
import { everythingIn, FOLDER, IMAGE, openYcCloudInside } from '../../support/e2e/yandex.ts';

const SECRET = 'AQVNs3cr3tOfTheVendorxxxxxxxxxxxxxxxxxx';

describe('a secret that the vendor prints', () => {
  it.each<[string, FakeYcFaultAction]>([
    ['on stderr with a failure', { kind: 'exit', stderr: `ERROR: token ${SECRET} is strange\n` }],
    ['on stdout with a failure', { kind: 'exit', stdout: `{"token":"${SECRET}"}` }],
    ['on stdout with success', { kind: 'exit', code: 0, stdout: `{"id":"${SECRET}","iam_token":"${SECRET}"}` }],
    ['beside a good answer', { kind: 'echo', stream: 'stderr', text: `${SECRET}\n` }],
    ['in a known failure', { kind: 'fail', failure: { code: 'PermissionDenied', message: `no ${SECRET}` } }],
  ])(
    '%s is in no output, log, fact, plan or error',
    async (_what, action) => {
      const cloud = await openYcCloudInside();
      const environment = { YC_IAM_TOKEN: SECRET, YC_TOKEN: SECRET };
      const { plan } = await cloud.plan();
      cloud.fake.addFaults({ match: 'vpc network create', action });
      const said: string[] = [];
      for (const flags of [['-v'], ['-v', '--log-format', 'json', '--format', 'ndjson'], ['--format', 'json'], []]) {
        const applied = await cloud.run(
          ['apply', 'playbook.yaml', '--confirm', plan.digest ?? '', '--out', `json=out${flags.length}.json`, ...flags],
          environment,
        );
        cloud.fake.addFaults({ match: 'vpc subnet list', action });
        const planned = await cloud.run(['plan', 'playbook.yaml', ...flags], environment);
        const recovered = await cloud.run(['recover', ...flags], environment);
        said.push(...[applied, planned, recovered].map(({ stdout, stderr }) => stdout + stderr));
      }
      expect(cloud.writes).toContain('vpc network create');
      expect(said.join('\n')).not.toContain(SECRET);
      expect(everythingIn(cloud.folder)).not.toContain(SECRET);
      for (const { env } of cloud.fake.commands())
        expect(env.filter((name) => name.startsWith('YC_') && name !== 'YC_CLI_INITIALIZATION_SILENCE')).toEqual([]);
    },
    60_000,
  );
});

describe('a yc that', () => {
  it.each<[string, FakeYcFaultAction]>([
    ['prints two documents', { kind: 'reshape', as: 'two_documents' }],
    ['prints a BOM', { kind: 'reshape', as: 'bom' }],
    ['prints nothing with exit 0', { kind: 'reshape', as: 'empty' }],
  ])('%s is one clear error', async (_what, action) => {
    const cloud = await openYcCloudInside();
    cloud.fake.addFaults({ match: 'vpc network list', action });
    const { code, plan } = await cloud.plan('--target', 'network');
    expect(code).toBe(6);
    expect(codesOf(stepAt(plan, 'network').diagnostics)).toEqual(['INVALID_RESPONSE']);
    expect(cloud.commands.filter((words) => words === 'vpc network list')).toHaveLength(1);
  });

  it('lists a thousand rows has not shown all of them; 999 are an inventory', async () => {
    const cloud = await openYcCloudInside();
    const argv = ['inventory', '--provider', 'yandex', '--folder', FOLDER, '--credential', 'sandbox'];
    const fill = (count: number) =>
      cloud.fake.change((state) => {
        state.resources.disk = {};
        for (let index = 0; index < count; index += 1) state.resources.disk[idOf(index)] = diskOf(index);
      });
    fill(1000);
    const refused = await cloud.fail(argv);
    expect(codesOf(refused.failure.diagnostics)).toEqual(['INCOMPLETE_INVENTORY']);
    expect(refused.code).toBe(6);
    fill(999);
    const complete = await cloud.run([...argv, '--format', 'json']);
    expectExit(complete, 0);
    expect(JSON.parse(complete.stdout).resources).toHaveLength(999);
  }, 60_000);
});

function idOf(index: number): string {
  return `fhm${String(index).padStart(17, '0')}`;
}

function diskOf(index: number) {
  return {
    id: idOf(index),
    folderId: FOLDER,
    createdAt: '2023-11-14T18:48:10Z',
    name: `disk-${index}`,
    description: '',
    labels: {},
    zoneId: 'ru-central1-a',
    typeId: 'network-ssd',
    size: 10 * 2 ** 30,
    blockSize: 4096,
    sourceImageId: IMAGE,
    status: 'READY',
  };
}

describe('the executable', () => {
  it.each(['settings: { folder_id: b1gexamplefolder0001, yc: /tmp/evil }', 'yc: /tmp/evil'])(
    'can not be chosen by the playbook: %s',
    async (line) => {
      const cloud = await openYcCloudInside();
      cloud.gateway((text) => text.replace(/ {2}settings: .*\n/, `  ${line}\n`));
      const { failure, code } = await cloud.fail(['plan', 'playbook.yaml']);
      expect(code).toBe(3);
      expect(failure.diagnostics.map((item) => item.code)).toContain('UNKNOWN_KEY');
      expect(cloud.commands).toEqual([]);
    },
  );
});
