import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StateFileError } from '../../../src/emulator/google/world/state-file-error.ts';
import { ORG, startEmulator } from './support.ts';

let folder: string;
let stateFile: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'google-emulator-'));
  stateFile = join(folder, 'state.json');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a state file that several emulators share', () => {
  it('loses nothing, gives no number twice, and shows everybody the newest', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => startEmulator({ stateFile, operationPolls: 0 })));
    const names = Array.from({ length: 30 }, (_, index) => `folder ${index}`);
    const made = await Promise.all(
      names.map((displayName, index) => clients[index % 3]?.post('/v3/folders', { displayName, parent: ORG })),
    );
    expect(new Set(made.map((answer) => String(answer?.json['response']?.['name']))).size).toBe(30);
    for (const client of clients) {
      const { folders } = (await client.get(`/v3/folders?parent=${ORG}&pageSize=100`)).json;
      expect(folders).toHaveLength(30);
    }
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  it('lets an operation be polled anywhere', async () => {
    const first = await startEmulator({ stateFile, operationPolls: 2 });
    const second = await startEmulator({ stateFile, operationPolls: 2 });
    const { name } = (await first.post('/v3/folders', { displayName: 'polled', parent: ORG })).json;
    expect((await second.get(`/v3/${name}`)).json['done']).toBeUndefined();
    expect((await first.get(`/v3/${name}`)).json).toMatchObject({ done: true });
  });

  it('is free again where its holder died', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    await writeFile(`${stateFile}.lock`, String(pid));
    await writeFile(`${stateFile}.lock.break`, String(pid));
    const client = await startEmulator({ stateFile });
    expect((await client.post('/v3/folders', { displayName: 'kept', parent: ORG })).status).toBe(200);
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  it('answers a request with what is wrong where the file broke meanwhile', async () => {
    const client = await startEmulator({ stateFile });
    await writeFile(stateFile, '{');
    const answer = await client.post('/v3/folders', { displayName: 'kept', parent: ORG });
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('is not a state file');
    expect(await readFile(stateFile, 'utf8')).toBe('{');
  });

  it('starts afresh where the file is gone, and gives no number twice', async () => {
    const client = await startEmulator({ stateFile, operationPolls: 0 });
    const create = () => client.post('/v3/folders', { displayName: 'kept', parent: ORG });
    const first = (await create()).json['response']?.['name'];
    await rm(stateFile);
    const second = (await create()).json['response']?.['name'];
    expect(second).toBeDefined();
    expect(second).not.toEqual(first);
  });
});

describe('a state file is refused', () => {
  const trouble = (path: string) =>
    startEmulator({ stateFile: path }).then(
      () => null,
      (error: unknown) => (error instanceof StateFileError ? error.trouble : error),
    );

  it.each([
    ['no JSON', '{'],
    ['no state', '[]'],
    ['a member of another type', '{"format":1,"folders":[]}'],
    ['a resource of another shape', '{"format":1,"folders":{"folders/1":{"name":1}}}'],
    ['a policy of another shape', '{"format":1,"policies":{"x":{"bindings":[{}],"auditConfigs":[],"micros":1}}}'],
    ['a counter that is none', '{"format":1,"counter":"1"}'],
  ])('that holds %s', async (_name, text) => {
    await writeFile(stateFile, text);
    expect(await trouble(stateFile)).toBe('unreadable');
    expect(await readFile(stateFile, 'utf8')).toBe(text);
  });

  it('that is a link, a dangling one too', async () => {
    await symlink(join(folder, 'elsewhere.json'), stateFile);
    expect(await trouble(stateFile)).toBe('link');
    await writeFile(join(folder, 'elsewhere.json'), '{"format":1}');
    expect(await trouble(stateFile)).toBe('link');
    expect(await readFile(join(folder, 'elsewhere.json'), 'utf8')).toBe('{"format":1}');
  });

  it('that is no regular file', async () => {
    await mkdir(stateFile);
    expect(await trouble(stateFile)).toBe('unreadable');
  });

  it('that lies nowhere', async () => {
    expect(await trouble(join(folder, 'none', 'x.json'))).toBe('unwritable');
  });
});
