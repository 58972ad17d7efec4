import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import { codesOf, expectExit, stepAt } from '../../support/e2e/cloud.ts';
import { everythingIn, openYcCloud } from '../../support/e2e/yandex.ts';

const SECRET = 'AQVNs3cr3tOfTheVendorxxxxxxxxxxxxxxxxxx';

describe('a secret that the vendor prints', () => {
  it('is in nothing that a process says or leaves', async () => {
    const cloud = await openYcCloud();
    const environment = { YC_IAM_TOKEN: SECRET, YC_TOKEN: SECRET };
    const { plan } = await cloud.plan();
    const stderr = `ERROR: token ${SECRET} is strange\n`;
    cloud.fake.addFaults({ match: 'vpc network create', action: { kind: 'exit', stdout: SECRET, stderr } });
    const said: string[] = [];
    for (const argv of [['apply', 'playbook.yaml', '--confirm', plan.digest ?? ''], ['recover']]) {
      const ended = await cloud.run([...argv, '-v', '--format', 'ndjson'], environment);
      said.push(ended.stdout + ended.stderr);
    }
    expect(cloud.writes).toContain('vpc network create');
    expect(said.join('\n')).not.toContain(SECRET);
    expect(everythingIn(cloud.folder)).not.toContain(SECRET);
    for (const { env } of cloud.fake.commands())
      expect(env.filter((name) => name.startsWith('YC_') && name !== 'YC_CLI_INITIALIZATION_SILENCE')).toEqual([]);
  });
});

describe('debug switches in the environment', () => {
  it.each(['execa', 'execa,undici,fetch'])('NODE_DEBUG=%s prints nothing of the vendor', async (sections) => {
    const cloud = await openYcCloud();
    cloud.fake.addFaults({
      match: 'vpc network list',
      action: { kind: 'exit', stdout: `{"token":"${SECRET}"}`, stderr: `ERROR: ${SECRET}\n` },
    });
    const { stdout, stderr, code } = await cloud.run(['plan', 'playbook.yaml', '-v'], {
      NODE_DEBUG: sections,
      DEBUG: '*',
      GOOGLE_SDK_NODE_LOGGING: '*',
    });
    expect(code).toBe(6);
    expect(cloud.commands).toContain('vpc network list');
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stderr).not.toContain('network list --limit');
  });

  it.each(['child_process', 'net,http', '*'])('with NODE_DEBUG=%s nothing is run', async (sections) => {
    const cloud = await openYcCloud();
    const { code, stdout, stderr } = await cloud.run(['plan', 'playbook.yaml', '--format', 'json'], {
      NODE_DEBUG: sections,
      YC_IAM_TOKEN: SECRET,
    });
    expect(code).toBe(3);
    expect(cloud.commands).toEqual([]);
    expect(stdout + stderr).not.toContain(SECRET);
  });
});

describe('a yc that', () => {
  it.each<[string, FakeYcFaultAction, string]>([
    ['hangs and ignores SIGTERM', { kind: 'hang', ignoreSigterm: true, grandchild: true }, 'TIMEOUT'],
    ['floods 200 MB', { kind: 'flood', bytes: 200_000_000 }, 'INVALID_RESPONSE'],
  ])(
    '%s: bounded, one clear error',
    async (_what, action, code) => {
      const cloud = await openYcCloud();
      cloud.gateway((text) => text.replace('command_timeout: 60', 'command_timeout: 2'));
      cloud.fake.addFaults({ match: 'vpc network list', action });
      const started = Date.now();
      const { code: exit, plan } = await cloud.plan('--target', 'network');
      expect(exit).not.toBe(0);
      expect(codesOf(stepAt(plan, 'network').diagnostics)).toEqual([code]);
      expect(Date.now() - started).toBeLessThan(20_000);
      expect(cloud.commands.filter((words) => words === 'vpc network list')).toHaveLength(1);
    },
    40_000,
  );
});

describe('the executable', () => {
  it('is refused inside the current folder, even where PATH leads to it first', async () => {
    const cloud = await openYcCloud();
    mkdirSync(join(cloud.folder, 'node_modules/.bin'), { recursive: true });
    const planted = join(cloud.folder, 'node_modules/.bin/yc');
    copyFileSync(cloud.executable, planted);
    chmodSync(planted, 0o700);
    for (const env of [
      { INFRA_YC: planted },
      { INFRA_YC: '', PATH: `${join(cloud.folder, 'node_modules/.bin')}:/usr/bin` },
    ]) {
      const { code, stdout } = await cloud.run(['plan', 'playbook.yaml', '--format', 'json'], env);
      expect(code).toBe(5);
      expect(stdout).toContain('UNSAFE_PATH');
    }
    expect(cloud.commands).toEqual([]);
    expectExit(await cloud.run(['plan', 'playbook.yaml', '--yc', cloud.executable], { INFRA_YC: planted }), 0);
    const apply = await cloud.fail(['apply', 'playbook.yaml', '--confirm', '0'.repeat(64), '--yc', planted]);
    expect(apply.code).toBe(5);
    const missing = await cloud.run(['plan', 'playbook.yaml', '--format', 'json'], { INFRA_YC: '', PATH: '/nowhere' });
    expect(missing.stdout).toContain('UNAVAILABLE');
    expect(JSON.parse(missing.stdout).digest).toBeNull();
  }, 30_000);
});
