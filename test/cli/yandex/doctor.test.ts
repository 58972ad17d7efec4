import { expect, it } from 'vitest';
import type { FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import { FOLDER, openYcCloudInside, type YcCloud } from '../../support/e2e/yandex.ts';

const CANARY = 'canary-9d9d';

const ALL = ['--folder', FOLDER, '--credential', 'sandbox'];

async function doctor(cloud: YcCloud, given: readonly string[] = ALL) {
  const flags = ['--provider', 'yandex', ...given];
  const { stdout, stderr, code } = await cloud.run(['doctor', ...flags, '--format', 'json']);
  expect(stdout + stderr).not.toContain(CANARY);
  const { checks } = JSON.parse(stdout) as { checks: readonly { name: string; status: string; detail: string }[] };
  return { code, said: Object.fromEntries(checks.map(({ name, status, detail }) => [name, `${status} ${detail}`])) };
}

const error = (text: string): FakeYcFaultAction => ({ kind: 'exit', stderr: `ERROR: ${text} ${CANARY}` });
const rpc = (code: string, text: string) => error(`rpc error: code = ${code} desc = ${text}`);

const FAILED: readonly (readonly [action: FakeYcFaultAction, code: number, reason: string])[] = [
  [rpc('Unauthenticated', 'The token is invalid'), 4, 'AUTHENTICATION: .* credentials are not accepted'],
  [rpc('PermissionDenied', 'Permission denied'), 4, 'PERMISSION_DENIED: .* may not read it'],
  [{ kind: 'patch', set: { id: 'b1gexamplefolder0002' } }, 6, 'SCOPE_MISMATCH: .* another one'],
  [{ kind: 'patch', set: { status: 'DELETING' } }, 6, 'CONFLICT: .* not active'],
  [{ kind: 'exit', code: 0, stdout: CANARY }, 6, 'INVALID_RESPONSE: .* the shape'],
  [rpc('DeadlineExceeded', 'context deadline exceeded'), 6, 'TIMEOUT: .* in time'],
  [error('profile with name "sandbox" not found'), 6, 'COMMAND_FAILED: .* ended with an error'],
];
it.each(FAILED)('an identity that fails by %j says why', async (action, code, reason) => {
  const cloud = await openYcCloudInside();
  cloud.fake.addFaults({ match: 'resource-manager folder get', action });
  const found = await doctor(cloud);
  expect(found.code).toBe(code);
  expect(found.said['yandex identity']).toMatch(new RegExp(`^fail ${reason}`));
  expect(found.said['yandex identity']).toContain(FOLDER);
});

it.each<FakeYcFaultAction>([{ kind: 'exit', code: 0, stdout: `Something Else 1.2.3 ${CANARY}` }, error('no')])(
  'a program that is no yc (%j) is asked nothing more',
  async (action) => {
    const cloud = await openYcCloudInside();
    cloud.fake.addFaults({ match: 'version', action });
    const { code, said } = await doctor(cloud);
    expect(code).toBe(6);
    expect(said['yandex availability']).toMatch(/^fail (INVALID_RESPONSE|COMMAND_FAILED): .* nothing more\.$/);
    expect(Object.keys(said).filter((name) => name.startsWith('yandex'))).toEqual(['yandex availability']);
    expect(cloud.fake.commands().map(({ argv }) => argv)).toEqual([['--version']]);
  },
);

it('a yc that answers is asked who one is, and whether that one may read', async () => {
  const { code, said } = await doctor(await openYcCloudInside());
  expect([code, said['yandex identity'], said['yandex permissions']?.slice(0, 2)]).toEqual([
    0,
    `ok cli-profile, on ${FOLDER}`,
    'ok',
  ]);
});

it.each([
  [[], 4, 'fail AUTH_REQUIRED: No credential'],
  [['--folder', FOLDER], 4, 'fail AUTH_REQUIRED: No credential'],
  [['--credential', 'sandbox'], 0, 'skipped No folder'],
])('whether yc is there is told without a credential or a folder (%j)', async (given, code, identity) => {
  const cloud = await openYcCloudInside();
  const found = await doctor(cloud, given);
  expect(found.code).toBe(code);
  expect(found.said['yandex availability']).toBe('ok yc runs.');
  expect(found.said['yandex identity']).toContain(identity);
  expect(cloud.fake.commands().map(({ argv }) => argv)).toEqual([['--version']]);
});
