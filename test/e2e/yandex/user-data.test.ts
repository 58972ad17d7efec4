import { chmodSync, copyFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/json.ts';
import { expectExit, stepAt } from '../../support/e2e/cloud.ts';
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

  it('goes in a private copy, from the folder of the playbook or one that the caller allows', async () => {
    const cloud = await openYcCloud();
    const outside = join(cloud.tools, 'data.json');
    named(cloud, outside, GOOD);
    cloud.writeText('data.json', GOOD);
    copyFileSync(join(cloud.folder, 'data.json'), outside);
    chmodSync(outside, 0o600);
    expect(stepAt((await cloud.plan()).plan, 'instance').change).toBe('blocked');
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

/** Nothing is asked or made of the machine, and nothing of the file is shown. */
async function refusedUnsent(cloud: YcCloud): Promise<void> {
  const planned = await cloud.plan();
  expect(stepAt(planned.plan, 'instance').change).toBe('blocked');
  const applied = await cloud.run(['apply', 'playbook.yaml', '--confirm', planned.plan.digest ?? '']);
  expect([3, 5, 7]).toContain(applied.code);
  expect(planned.stdout + applied.stdout + applied.stderr).not.toContain(SPOILER);
  expect(cloud.commands.filter((words) => words.startsWith('compute instance'))).toEqual([]);
  expect(cloud.counts['instance']).toBe(0);
}
