import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Program } from '../../../src/providers/command-runner.ts';
import { openYandex } from '../../../src/providers/yandex/open.ts';
import { type ExecutableRequest, resolveExecutable } from '../../../src/providers/yandex/resolve-executable.ts';
import { FOLDER } from './support/steps.ts';

/** A folder of folders: bin (safe), work (where the run is), playbooks. */
async function places() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'infra-exe-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [bin, work, playbooks] = ['bin', 'work', 'playbooks'].map((name) => join(root, name));
  if (bin === undefined || work === undefined || playbooks === undefined) throw new Error('unreachable');
  for (const folder of [bin, work, playbooks]) await mkdir(folder, { mode: 0o755 });
  const put = async (folder: string, mode = 0o755) => {
    const path = join(folder, 'yc');
    await writeFile(path, '#!/bin/sh\n');
    await chmod(path, mode);
    return path;
  };
  const request = (more: Partial<ExecutableRequest> = {}): ExecutableRequest => ({
    given: null,
    path: `/nonexistent:${bin}`,
    cwd: work,
    untrusted: [playbooks],
    ...more,
  });
  return { root, bin, work, playbooks, put, request };
}

async function refusal(request: ExecutableRequest) {
  const found = await resolveExecutable(request);
  return found.kind === 'unusable' ? `${found.why.code} ${found.why.detail}` : `found ${found.path}`;
}

describe('yc', () => {
  it('is what PATH leads to, as one absolute path without symlinks', async () => {
    const { root, bin, put, request } = await places();
    const path = await put(bin);
    const links = join(root, 'links');
    await mkdir(links);
    await symlink(path, join(links, 'yc'));
    expect(await resolveExecutable(request())).toEqual({ kind: 'found', path });
    expect(await resolveExecutable(request({ path: links }))).toEqual({ kind: 'found', path });
    expect(await resolveExecutable(request({ given: path, path: undefined }))).toEqual({ kind: 'found', path });
  });

  it('that is not there, or no executable file, is missing', async () => {
    const { bin, put, request } = await places();
    expect(await refusal(request())).toMatch(/^UNAVAILABLE/);
    await put(bin, 0o644);
    expect(await refusal(request())).toMatch(/^UNAVAILABLE/);
    expect(await refusal(request({ given: join(bin, 'other') }))).toMatch(/^UNAVAILABLE.*other/);
  });

  it('in the current folder is refused, not passed over', async () => {
    const { bin, work, put, request } = await places();
    await put(bin);
    const modules = join(work, 'node_modules', '.bin');
    await mkdir(modules, { recursive: true });
    await put(modules);
    expect(await refusal(request({ path: `${modules}:${bin}` }))).toMatch(/^UNSAFE_PATH/);
    expect(await refusal(request({ given: 'node_modules/.bin/yc' }))).toMatch(/^UNSAFE_PATH/);
  });

  it('that a relative or empty entry of PATH leads to is refused', async () => {
    const { bin, work, put, request } = await places();
    await put(bin);
    await put(work);
    for (const path of [`:${bin}`, `.:${bin}`]) expect(await refusal(request({ path }))).toMatch(/^UNSAFE_PATH/);
  });

  it('beside the playbook, or in the repository, is refused', async () => {
    const { root, bin, playbooks, put, request } = await places();
    expect(await refusal(request({ given: await put(playbooks) }))).toMatch(/^UNSAFE_PATH/);
    const path = await put(bin);
    await mkdir(join(root, '.git'));
    expect(await refusal(request({ given: path }))).toMatch(/^UNSAFE_PATH.*repository/);
  });

  it('behind a symlink of the repository is refused, wherever that leads', async () => {
    const { bin, work, put, request } = await places();
    await symlink(await put(bin), join(work, 'yc'));
    expect(await refusal(request({ path: work }))).toMatch(/^UNSAFE_PATH/);
  });

  it('behind a symlink into the repository is refused', async () => {
    const { bin, work, put, request } = await places();
    await symlink(await put(work), join(bin, 'yc'));
    expect(await refusal(request())).toMatch(/^UNSAFE_PATH/);
  });

  it('where anyone may write is refused', async () => {
    const { root, bin, put, request } = await places();
    await put(bin, 0o757);
    expect(await refusal(request())).toMatch(/anyone may write to it/);
    await put(bin, 0o755);
    for (const mode of [0o777, 0o1777]) {
      await chmod(bin, mode);
      expect(await refusal(request())).toMatch(/anyone may write to .*bin/);
    }
    await chmod(bin, 0o755);
    await chmod(root, 0o777);
    expect(await refusal(request())).toMatch(/^UNSAFE_PATH/);
  });

  it('may be run from the root folder', async () => {
    const { bin, put, request } = await places();
    const path = await put(bin);
    expect(await resolveExecutable(request({ cwd: '/', untrusted: [] }))).toEqual({ kind: 'found', path });
  });
});

describe('opening', () => {
  const auth = { type: 'yc_profile', credential: 'sandbox', scopes: [], token: null, tokenEnv: null };

  async function open(more: Partial<Parameters<typeof openYandex>[0]>) {
    const { bin, put, request } = await places();
    await put(bin);
    const opened = await openYandex({
      auth,
      settings: { folder_id: FOLDER },
      credentials: {},
      executable: () => resolveExecutable(request()),
      readOnly: false,
      environment: {},
      runnerOf: () => ({ run: () => Promise.reject(new Error('nothing is to be run')) }),
      userData: { folder: null, allowed: [], uid: null, tempFolder: tmpdir() },
      signal: new AbortController().signal,
      ...more,
    });
    return opened.kind === 'open' ? opened.provider.identity.scopeId : `${opened.why.code} ${opened.why.detail}`;
  }

  it('runs nothing and says which folder it is about', async () => {
    expect(await open({})).toBe(FOLDER);
    expect(await open({ credentials: { sandbox: { type: 'yc_profile', profile: 'my-profile' } } })).toBe(FOLDER);
  });

  it('hands over its absolute path, and of the environment what it needs', async () => {
    const programs: Program[] = [];
    const environment = {
      HOME: '/home/me',
      YC_IAM_TOKEN: 't1.secret',
      AWS_SECRET_ACCESS_KEY: 'x',
      PATH: '.:/usr/bin::bin:/bin',
    };
    const runnerOf = (program: Program) => {
      programs.push(program);
      return { run: () => Promise.reject(new Error('nothing is to be run')) };
    };
    expect(await open({ environment, runnerOf })).toBe(FOLDER);
    const passed = { HOME: '/home/me', PATH: '/usr/bin:/bin', YC_CLI_INITIALIZATION_SILENCE: 'true' };
    expect(programs).toMatchObject([{ executable: expect.stringMatching(/^\/.*\/bin\/yc$/), environment: passed }]);
    expect(Object.keys(programs[0]?.environment ?? {}).sort()).toEqual(Object.keys(passed).sort());
  });

  it.each([
    ['no auth', { auth: null }, 'AUTH_REQUIRED'],
    ['auth of another cloud', { auth: { ...auth, type: 'gcp_adc' } }, 'AUTH_REQUIRED'],
    ['an unknown credential', { credentials: { other: { type: 'yc_profile', profile: 'x' } } }, 'UNKNOWN_CREDENTIAL'],
    ["another cloud's credential", { credentials: { sandbox: { type: 'gcp_adc' } } }, 'UNKNOWN_CREDENTIAL'],
    [
      'a profile that would be a flag',
      { credentials: { sandbox: { type: 'yc_profile', profile: '--x' } } },
      'UNKNOWN_CREDENTIAL',
    ],
    ['no folder', { settings: null }, 'INVALID_VALUE settings'],
  ])('is refused with %s', async (_what, more, word) => {
    expect(await open(more)).toContain(word);
  });
});
