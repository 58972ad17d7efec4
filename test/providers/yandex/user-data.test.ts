import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { sha256Hex } from '../../../src/core/json.ts';
import { readUserData, type UserDataPlace, userDataProblems } from '../../../src/providers/yandex/user-data.ts';
import { type Cloud, cloudOf, HOOKS, mutations, operationOf, results, run } from './support/cloud.ts';
import { gateway, instance } from './support/steps.ts';

const CANARY = 'canary-5d5d';
const DATA = `#cloud-config\n${JSON.stringify({ package_update: true, runcmd: [['echo', CANARY, '$$HOME']] })}\n`;

async function fileIn(cloud: Cloud, content: string | Buffer = DATA, name = 'user-data.json', mode = 0o600) {
  const path = join(cloud.folder, name);
  await writeFile(path, content);
  await chmod(path, mode);
  return { path, sha256: sha256Hex(typeof content === 'string' ? Buffer.from(content) : content) };
}

function place(cloud: Cloud, more: Partial<UserDataPlace> = {}): UserDataPlace {
  return { folder: cloud.folder, allowed: [], uid: process.getuid?.() ?? null, tempFolder: cloud.folder, ...more };
}

function withData(sha256: string, file = 'user-data.json') {
  return gateway(instance({ user_data_file: file, user_data_sha256: sha256 }));
}

async function copies(cloud: Cloud) {
  return (await readdir(cloud.folder)).filter((name) => name.startsWith('infra-user-data-'));
}

describe('user data', () => {
  it('reaches the machine through a private copy, and nothing of it is left or shown', async () => {
    const cloud = await cloudOf();
    const { sha256 } = await fileIn(cloud);
    const turns = await run(cloud, withData(sha256));
    expect(results(turns)['instance']).toBe('done');
    const [made] = cloud.fake.commands().filter(({ argv }) => argv[2] === 'create' && argv[1] === 'instance');
    expect(made?.files).toEqual([{ path: expect.stringContaining('infra-user-data-'), mode: '0600' }]);
    const [stored] = Object.values(cloud.fake.state().resources.instance);
    expect(stored?.metadata['user-data']).toContain('$HOME');
    expect(await copies(cloud)).toEqual([]);
    expect(JSON.stringify(turns)).not.toContain(CANARY);
    expect(JSON.stringify(cloud.fake.commands())).not.toContain(CANARY);
  });

  it.each(['exit', 'die', 'hang'] as const)('leaves no copy behind when the command ends by %s', async (kind) => {
    const settings = { folderId: 'b1gexamplefolder0001', commandTimeout: 20, mutationTimeout: 1, inventoryLimit: 1000 };
    const cloud = await cloudOf();
    const { sha256 } = await fileIn(cloud);
    await run(cloud, withData(sha256).slice(0, -1));
    cloud.fake.addFaults({ match: 'compute instance create', action: { kind } });
    const turns = await run(cloud, withData(sha256), { provider: cloud.open({ settings }) });
    expect(results(turns)['instance']).toBe('uncertain');
    expect(await copies(cloud)).toEqual([]);
  });

  it('that changes after the plan stops the write', async () => {
    const cloud = await cloudOf();
    const { sha256 } = await fileIn(cloud);
    await run(cloud, withData(sha256).slice(0, -1));
    const turns = await run(cloud, withData(sha256), { dry: true });
    await fileIn(cloud, DATA.replace('true', 'false'));
    const last = turns.at(-1);
    if (last === undefined) throw new Error('no turn');
    const [result] = await cloud.provider.write([operationOf(last)], HOOKS);
    expect(result).toMatchObject({ kind: 'failed', why: { code: 'INVALID_VALUE' } });
  });
});

const CONTENTS: readonly [what: string, content: string | Buffer, word: string | null][] = [
  ['JSON with its header', DATA, null],
  ['JSON alone', '{"packages": ["nginx"]}', null],
  [
    'every field that is known',
    JSON.stringify(
      Object.fromEntries(
        [
          'ssh_pwauth',
          'disable_root',
          'users',
          'package_update',
          'package_upgrade',
          'packages',
          'write_files',
          'runcmd',
        ].map((key) => [key, []]),
      ),
    ),
    null,
  ],
  ['a "$" that is doubled', '{"runcmd": ["echo $$HOME $$$$"]}', null],
  ['a "$" that is not', '{"runcmd": ["echo $HOME"]}', '"$$"'],
  ['three of them', '{"runcmd": ["echo $$$HOME"]}', '"$$"'],
  ['a "$" at the end', '{"runcmd": ["a$"]}', '"$$"'],
  ['YAML', '#cloud-config\npackages: [nginx]\n', 'JSON object'],
  ['a list', '[]', 'JSON object'],
  ['nothing', '', 'JSON object'],
  ['two documents', '{}{}', 'JSON object'],
  ['another header', '#!/bin/sh\n{}', 'JSON object'],
  ['a field that is not known', '{"bootcmd": []}', 'not accepted'],
  ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d]), 'UTF-8'],
  ['256 KiB', `{"runcmd": ["${'x'.repeat(256 * 1024 - 16)}"]}`, null],
  ['more', `{"runcmd": ["${'x'.repeat(256 * 1024)}"]}`, '256 KiB'],
];

test.each(CONTENTS)('%s', async (_what, content, word) => {
  const cloud = await cloudOf();
  const { sha256 } = await fileIn(cloud, content);
  const data = await readUserData('user-data.json', sha256, place(cloud));
  if (word === null) expect(data.kind).toBe('ok');
  else expect(JSON.stringify(data)).toContain(JSON.stringify(word).slice(1, -1));
});

describe('a file of user data', () => {
  async function refusal(cloud: Cloud, file: string, more: Partial<UserDataPlace> = {}) {
    const data = await readUserData(file, sha256Hex(Buffer.from(DATA)), place(cloud, more));
    return data.kind === 'ok' ? 'ok' : `${data.why.code} ${data.why.detail}`;
  }

  it('may lie below the folder of the playbook, and nowhere else', async () => {
    const cloud = await cloudOf();
    await mkdir(join(cloud.folder, 'inside'));
    await mkdir(join(cloud.folder, 'outside'));
    await fileIn(cloud, DATA, 'inside/u');
    const { path } = await fileIn(cloud, DATA, 'outside/u');
    const folder = join(cloud.folder, 'inside');
    expect(await refusal(cloud, 'u', { folder })).toBe('ok');
    expect(await refusal(cloud, join(folder, 'u'), { folder })).toBe('ok');
    expect(await refusal(cloud, '../outside/u', { folder })).toMatch(/^UNSAFE_FILE/);
    expect(await refusal(cloud, path, { folder })).toMatch(/^UNSAFE_FILE/);
    expect(await refusal(cloud, 'u', { folder: null })).toMatch(/^UNSAFE_FILE/);
    expect(await refusal(cloud, path, { folder, allowed: [join(cloud.folder, 'outside')] })).toBe('ok');
    expect(await refusal(cloud, path, { folder: null, allowed: [join(cloud.folder, 'outside')] })).toBe('ok');
  });

  it('may not be a symlink, nor be reached through one', async () => {
    const cloud = await cloudOf();
    await mkdir(join(cloud.folder, 'real'));
    const { path } = await fileIn(cloud, DATA, 'real/u');
    await symlink(path, join(cloud.folder, 'link'));
    await symlink(join(cloud.folder, 'real'), join(cloud.folder, 'way'));
    for (const file of ['link', 'way/u']) expect(await refusal(cloud, file)).toMatch(/^UNSAFE_FILE.*symlink/);
  });

  it.each([0o640, 0o604, 0o660, 0o601])('may not have the mode %o', async (mode) => {
    const cloud = await cloudOf();
    await fileIn(cloud, DATA, 'u', mode);
    expect(await refusal(cloud, 'u')).toMatch(/^UNSAFE_FILE.*others/);
  });

  it("may not be another user's", async () => {
    const cloud = await cloudOf();
    await fileIn(cloud, DATA, 'u');
    expect(await refusal(cloud, 'u', { uid: 4711 })).toMatch(/^UNSAFE_FILE.*another user/);
  });

  it('must be a regular file: a pipe does not hang the run', async () => {
    const cloud = await cloudOf();
    execFileSync('mkfifo', ['-m', '600', join(cloud.folder, 'pipe')]);
    await mkdir(join(cloud.folder, 'folder'), { mode: 0o700 });
    for (const file of ['pipe', 'folder']) expect(await refusal(cloud, file)).toMatch(/^UNSAFE_FILE.*regular/);
  });

  it('must be there', async () => {
    expect(await refusal(await cloudOf(), 'nothing')).toMatch(/^FILE_UNREADABLE/);
  });
});

test.each(['/t,mp', '/t=x', '/t"x', "/t'x", '/t[x]', '/t{x}', '/t$HOME', '/t\nx', '/t\\x', '/t\u202ex'])(
  'no copy is made below %j',
  async (tempFolder) => {
    const cloud = await cloudOf();
    const { sha256 } = await fileIn(cloud);
    const declaration = { desired: { user_data_sha256: sha256 }, options: { user_data_file: 'user-data.json' } };
    const [problem] = await userDataProblems(declaration, place(cloud, { tempFolder }));
    expect(problem).toMatchObject({ code: 'UNSAFE_FILE', hint: 'TMPDIR=/tmp' });
    expect(await userDataProblems(declaration, place(cloud, { tempFolder: '/private/var/T-1_a b.é@~+' }))).toEqual([]);
    const provider = cloud.open({ userData: place(cloud, { tempFolder }) });
    const turns = await run(cloud, withData(sha256), { provider });
    expect(results(turns)['instance']).toBe('failed');
    expect(mutations(cloud)).not.toContain('compute instance create');
  },
);
