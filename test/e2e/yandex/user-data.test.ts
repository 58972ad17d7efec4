import { chmodSync, copyFileSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/json.ts';
import { expectExit } from '../../support/e2e/cloud.ts';
import { everythingIn, ONE_EACH, openYcCloud, type YcCloud } from '../../support/e2e/yandex.ts';

/** Stands in each file, and nowhere else. */
const SPOILER = 'spoiler-of-the-file';

describe('user data', () => {
  const GOOD = `{"packages":["${SPOILER}"]}`;
  const named = (cloud: YcCloud, file: string, content: string) =>
    cloud.gateway((text) =>
      text.replace(
        /( +)ssh_username: gateway-admin/,
        `$1user_data_file: ${file}\n$1user_data_sha256: ${sha256Hex(content)}\n$1ssh_username: gateway-admin`,
      ),
    );

  it.each<[string, (cloud: YcCloud) => void]>([
    [
      'a symlink',
      (cloud) => {
        cloud.writeText('real.json', GOOD);
        symlinkSync(join(cloud.folder, 'real.json'), join(cloud.folder, 'data.json'));
      },
    ],
    [
      'a file that others may read',
      (cloud) => {
        cloud.writeText('data.json', GOOD);
        chmodSync(join(cloud.folder, 'data.json'), 0o644);
      },
    ],
    ['another digest', (cloud) => cloud.writeText('data.json', `{"packages":["${SPOILER}-2"]}`)],
    ['no file', () => undefined],
  ])('%s is refused before yc runs', async (_what, put) => {
    const cloud = await openYcCloud();
    named(cloud, 'data.json', GOOD);
    put(cloud);
    await refusedUnsent(cloud);
  });

  it.each([
    ['a foreign field', `{"bootcmd":["${SPOILER}"]}`],
    ['an unescaped $', `{"runcmd":["${SPOILER} $HOME"]}`],
  ])('%s is refused before yc runs', async (_what, content) => {
    const cloud = await openYcCloud();
    named(cloud, 'data.json', content);
    cloud.writeText('data.json', content);
    await refusedUnsent(cloud);
  });

  it('is refused before yc runs where its copy would lie in a folder that a flag takes apart', async () => {
    const cloud = await openYcCloud();
    named(cloud, 'data.json', GOOD);
    cloud.writeText('data.json', GOOD);
    const folder = join(cloud.folder, 't,mp=x');
    mkdirSync(folder);
    await refusedUnsent(cloud, { TMPDIR: folder });
  });

  it("is not opened for a stranger's playbook", async () => {
    const cloud = await openYcCloud();
    named(cloud, 'data.json', GOOD);
    const { code, plan } = await cloud.plan('--untrusted');
    expect([code, plan.diagnostics.map((found) => found.code)]).toEqual([0, expect.arrayContaining(['FILE_NOT_READ'])]);
    expect(cloud.commands).toEqual([]);
  });

  it('that is lost keeps nothing from being destroyed', async () => {
    const cloud = await openYcCloud();
    named(cloud, 'data.json', GOOD);
    cloud.writeText('data.json', GOOD);
    expectExit(await cloud.converge(), 0);
    rmSync(join(cloud.folder, 'data.json'));
    const planned = await cloud.run(['destroy', 'playbook.yaml', '--format', 'json']);
    expectExit(planned, 0);
    const { digest } = JSON.parse(planned.stdout) as { digest: string };
    expectExit(await cloud.run(['destroy', 'playbook.yaml', '--confirm', digest]), 0);
    expect(cloud.counts['instance']).toBe(0);
  }, 30_000);

  it('goes in a private copy, from the folder of the playbook or one that the caller allows', async () => {
    const cloud = await openYcCloud();
    const outside = join(cloud.tools, 'data.json');
    named(cloud, outside, GOOD);
    cloud.writeText('data.json', GOOD);
    copyFileSync(join(cloud.folder, 'data.json'), outside);
    chmodSync(outside, 0o600);
    const refused = await cloud.fail(['plan', 'playbook.yaml']);
    expect([refused.code, ...refused.failure.diagnostics.map(({ code }) => code)]).toEqual([3, 'UNSAFE_FILE']);
    const { plan } = await cloud.plan('--allow-path', cloud.tools);
    expectExit(await cloud.apply(plan.digest, '--allow-path', cloud.tools), 0);
    expect(cloud.counts).toEqual(ONE_EACH);
    const files = cloud.fake.commands().flatMap((command) => command.files);
    expect(files).toMatchObject([{ mode: '0600' }]);
    expect(files[0]?.path).not.toBe(outside);
    expect(() => statSync(files[0]?.path ?? '')).toThrow();
    expect(everythingIn(join(cloud.folder, '.infra'))).not.toContain(SPOILER);
  }, 30_000);
});

/** Whatever would read the file ends with one exit code and its place, no command runs, and nothing of it is shown. */
async function refusedUnsent(cloud: YcCloud, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const commands = [
    ['plan', 'playbook.yaml'],
    ['plan', 'playbook.yaml', '--offline'],
    ['plan', 'playbook.yaml', '--reconcile', 'report'],
    ['plan', 'playbook.yaml', '--emulator'],
    ['apply', 'playbook.yaml', '--confirm', 'a'.repeat(64)],
    ['adopt', 'playbook.yaml'],
  ];
  for (const command of commands) {
    const { code, stdout, stderr, failure } = await cloud.fail(command, env);
    expect([command.join(' '), code, failure.diagnostics.length]).toEqual([command.join(' '), 3, 1]);
    expect(failure.diagnostics[0]).toMatchObject({ address: 'instance', severity: 'error' });
    expect(failure.diagnostics[0]?.source).toMatchObject({ file: 'playbook.yaml', column: expect.any(Number) });
    expect(stdout + stderr).not.toContain(SPOILER);
  }
  const exec = await cloud.run(['exec', 'playbook.yaml'], env);
  expect([exec.code, exec.stdout]).toEqual([3, '']);
  expect(exec.stderr).toMatch(/playbook\.yaml:\d+:\d+/);
  expect(cloud.commands).toEqual([]);
  const skipping = await cloud.run(['plan', 'playbook.yaml', '--target', 'network'], env);
  expectExit(skipping, 0);
}
