import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPlaybookFile } from '../../src/playbook/files.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'infra-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function reason(name: string): Promise<string> {
  const result = await readPlaybookFile(join(folder, name));
  if (result.kind === 'text') throw new Error('it was read');
  expect(result.why.code).toBe('FILE_UNREADABLE');
  return result.why.detail;
}

describe('a file', () => {
  it('is read as UTF-8 without its byte order mark; its bytes stay as they are', async () => {
    await writeFile(join(folder, 'good.yaml'), '\uFEFFä: 1\n');
    const result = await readPlaybookFile(join(folder, 'good.yaml'));
    expect(result).toMatchObject({ kind: 'text', text: 'ä: 1\n' });
    expect(result.kind === 'text' && result.bytes.length).toBe(9);
  });

  it('that is missing, a folder, a circle of links, empty, binary, not UTF-8 or too large says so', async () => {
    await mkdir(join(folder, 'dir'));
    await symlink('loop', join(folder, 'loop'));
    await writeFile(join(folder, 'empty'), ' \n');
    await writeFile(join(folder, 'binary'), new Uint8Array([1, 0, 2]));
    await writeFile(join(folder, 'latin'), new Uint8Array([0x61, 0xe4, 0x62]));
    await writeFile(join(folder, 'large'), 'x');
    await truncate(join(folder, 'large'), 64 * 1024 * 1024 + 1);
    expect(await reason('missing')).toContain('does not exist');
    expect(await reason('good.yaml/x')).toContain('does not exist');
    expect(await reason('dir')).toContain('is a folder');
    expect(await reason('loop')).toContain('circle of symbolic links');
    expect(await reason('empty')).toContain('is empty');
    expect(await reason('binary')).toContain('is binary');
    expect(await reason('latin')).toContain('is not UTF-8');
    expect(await reason('large')).toContain('larger than 64 MiB');
    expect(await reason('n'.repeat(5000))).toContain('name that is too long');
  });

  it('that is a pipe to which nobody writes, a socket or a device is refused, not waited for', async () => {
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    const server = createServer().listen(join(folder, 'sock'));
    await once(server, 'listening');
    expect(await reason('fifo')).toContain('is a named pipe, no file');
    expect(await reason('sock')).toContain('is a socket, no file');
    server.close();
    for (const path of ['/dev/zero', '/dev/null'])
      expect(await readPlaybookFile(path)).toMatchObject({ kind: 'unreadable', why: { code: 'FILE_UNREADABLE' } });
  });

  it.skipIf(process.getuid?.() === 0)('that may not be read says so', async () => {
    await writeFile(join(folder, 'secret'), 'a: 1');
    await chmod(join(folder, 'secret'), 0);
    expect(await reason('secret')).toContain('permission denied');
  });
});
