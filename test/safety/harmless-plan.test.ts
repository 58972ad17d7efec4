import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { foundationPlaybook } from '../support/safety/foundation.ts';
import { Site, type SiteOptions, until } from '../support/safety/site.ts';
import { changesBetween, treeOf } from '../support/safety/tree.ts';

const PRELOAD = fileURLToPath(new URL('../support/safety/no-network.cjs', import.meta.url));
/** For the real cloud, with the caller's own credential. */
const forTheCloud = (): string =>
  foundationPlaybook('')
    .replace(/ {2}endpoint:.*\n/, '')
    .replace(/ {2}auth:.*\n/, '  auth: { type: gcp_adc }\n');

const open: Site[] = [];
afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function siteOf(options: SiteOptions = {}): Promise<Site> {
  const site = await Site.open(options);
  open.push(site);
  return site;
}

/** What a command line changes in the working folder and in the home. */
async function changesBy(site: Site, argv: readonly string[]) {
  const [folder, home, world] = [treeOf(site.folder), treeOf(site.home), JSON.stringify(site.emulator.snapshot())];
  site.emulator.resetRequests();
  const ended = await site.run(argv);
  const writes = site.emulator.requests.filter(
    ({ method, path }) => method !== 'GET' && !(method === 'POST' && /:(getIamPolicy|testIamPermissions)$/.test(path)),
  );
  return {
    ended,
    files: changesBetween(folder, treeOf(site.folder)),
    home: changesBetween(home, treeOf(site.home)),
    writes: writes.map(({ method, path }) => `${method} ${path}`),
    sameWorld: JSON.stringify(site.emulator.snapshot()) === world,
    requests: site.emulator.requests.length,
  };
}

describe('a plan', () => {
  it('writes its plan store and nothing else, and only reads', async () => {
    const site = await siteOf();
    const { ended, files, home, writes, sameWorld, requests } = await changesBy(site, [
      'plan',
      'foundation.yaml',
      '--format',
      'json',
    ]);
    const { digest } = JSON.parse(ended.stdout) as { digest: string };
    expect(files).toEqual(['.infra', '.infra/.gitignore', '.infra/plans', `.infra/plans/${digest}.json`]);
    expect({ home, writes, sameWorld, code: ended.code }).toEqual({ home: [], writes: [], sameWorld: true, code: 0 });
    expect(requests).toBeGreaterThan(5);
  });

  it('with --no-save writes nothing at all', async () => {
    const site = await siteOf();
    const { ended, files, home, writes, sameWorld } = await changesBy(site, [
      'plan',
      'foundation.yaml',
      '--no-save',
      '-v',
    ]);
    expect({ files, home, writes, sameWorld, code: ended.code }).toEqual({
      files: [],
      home: [],
      writes: [],
      sameWorld: true,
      code: 0,
    });
  });

  it('leaves a log with an open intent as it is', async () => {
    const site = await siteOf();
    const digest = await site.plan();
    site.emulator.addFault({ method: 'POST', path: '/v3/folders', action: { kind: 'hangAfter' } });
    const { child, ended: killed } = site.start(['apply', '--confirm', digest]);
    await until(
      () => site.emulator.requests.some(({ method, path }) => method === 'POST' && path === '/v3/folders'),
      'it writes',
    );
    child.kill('SIGKILL');
    await killed;
    expect((await site.log().read(site.emulator.url)).openIntents).not.toEqual([]);
    site.emulator.clearFaults();
    const { ended, files, home, writes } = await changesBy(site, ['plan', 'foundation.yaml', '--no-save']);
    expect({ files, home, writes, code: ended.code }).toEqual({ files: [], home: [], writes: [], code: 0 });
  });

  it('that is refused writes nothing', async () => {
    const site = await siteOf();
    writeFileSync(join(site.folder, 'wrong.yaml'), 'apiVersion: infra/v1\nworkflow: 3\n');
    for (const argv of [
      ['plan', 'wrong.yaml'],
      ['plan', 'none.yaml'],
      ['plan', 'foundation.yaml', '--colour'],
      ['apply', '--confirm', 'a'.repeat(64)],
      ['apply', 'foundation.yaml'],
    ]) {
      const { ended, files, home, requests } = await changesBy(site, argv);
      expect({ files, home, requests, ended: [3, 5].includes(ended.code ?? 0) }, argv.join(' ')).toEqual({
        files: [],
        home: [],
        requests: 0,
        ended: true,
      });
    }
  });

  it('under exec, dry: writes nothing and sends nothing', async () => {
    const site = await siteOf();
    const { ended, files, home, requests } = await changesBy(site, ['exec', 'foundation.yaml']);
    expect({ files, home, requests, code: ended.code }).toEqual({ files: [], home: [], requests: 0, code: 0 });
  });
});

describe('without a network', () => {
  const CASES: readonly (readonly [string, readonly string[], () => string])[] = [
    ['plan --offline', ['plan', 'cloud.yaml', '--offline'], forTheCloud],
    ['plan --untrusted without a guard of the caller', ['plan', 'cloud.yaml', '--untrusted'], forTheCloud],
    ['exec, dry', ['exec', 'cloud.yaml'], forTheCloud],
    ['apply --offline', ['apply', 'cloud.yaml', '--confirm', 'a'.repeat(64), '--offline'], forTheCloud],
    ['explain', ['explain', 'BUG'], forTheCloud],
  ];

  it.each(CASES)(
    '%s: no connection, no lookup, no credential file, no child process',
    async (_name, argv, playbook) => {
      const site = await siteOf();
      writeFileSync(join(site.folder, 'cloud.yaml'), playbook());
      // Whoever opens a pipe that nobody writes to waits for ever.
      const pipe = join(site.home, 'credentials.json');
      expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
      const calls = join(site.home, 'calls');
      const ended = await site.run(argv, {
        preload: PRELOAD,
        env: { CALLS: calls, GOOGLE_APPLICATION_CREDENTIALS: pipe, GOOGLE_OAUTH_ACCESS_TOKEN: 'x'.repeat(40) },
      });
      expect(existsSync(calls) ? readFileSync(calls, 'utf8') : '').toBe('');
      expect(ended.code).toBe(argv[0] === 'apply' ? 3 : 0);
      expect(site.emulator.requests).toEqual([]);
    },
  );

  it('a plan --offline of a playbook with an endpoint that is allowed', async () => {
    const site = await siteOf();
    const calls = join(site.home, 'calls');
    const ended = await site.run(['plan', 'foundation.yaml', '--offline', '--no-save'], {
      preload: PRELOAD,
      env: { CALLS: calls },
    });
    expect(existsSync(calls)).toBe(false);
    expect(ended.code).toBe(0);
  });
});
