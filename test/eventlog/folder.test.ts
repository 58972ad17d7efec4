import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkInfraFolder, prepareInfraFolder } from '../../src/eventlog/folder.ts';
import { context, factOf, factRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

function git(cwd: string, ...args: string[]): void {
  execFileSync('git', args, { cwd, stdio: 'ignore' });
}

async function repository(): Promise<string> {
  const folder = await temporaryFolder();
  git(folder, 'init', '--quiet');
  return folder;
}

test('the folder is made with 0700 and ignores itself; preparing it again changes nothing', async () => {
  const path = join(await temporaryFolder(), '.infra');
  await prepareInfraFolder(path);
  await prepareInfraFolder(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(path, '.gitignore'), 'utf8')).toBe('*\n');
});

test('checking makes nothing', async () => {
  const path = join(await temporaryFolder(), '.infra');
  await checkInfraFolder(path);
  await expect(stat(path)).rejects.toThrow('ENOENT');
});

test('a folder that git does not track is fine, and stays so', async () => {
  const path = join(await repository(), '.infra');
  await prepareInfraFolder(path);
  await writeFile(join(path, 'eventlog.jsonl'), '');
  git(join(path, '..'), 'add', '--all');
  await prepareInfraFolder(path);
});

test('a folder that git tracks is refused, to readers too', async () => {
  const root = await repository();
  const path = join(root, 'sub', '.infra');
  const log = join(path, 'eventlog.jsonl');
  await mkdir(path, { recursive: true });
  await writeFile(log, `${JSON.stringify(factOf('planted'))}\n`);
  git(root, 'add', '--force', log);
  await expect(prepareInfraFolder(path)).rejects.toThrow(/UNSAFE_PATH: .*tracked by git/);
  await expect(openLog(log, { infraFolder: path }).read('cloud')).rejects.toThrow('UNSAFE_PATH');
  await expect(openLog(log, { infraFolder: path }).append(context(), [factRow('a')])).rejects.toThrow('UNSAFE_PATH');
});

test("a repository can't make git run its own program", async () => {
  const root = await repository();
  const witness = join(root, 'ran');
  const hook = join(root, 'hook.sh');
  await writeFile(hook, `#!/bin/sh\ntouch '${witness}'\n`, { mode: 0o755 });
  git(root, 'config', 'core.fsmonitor', hook);
  await mkdir(join(root, '.infra'));
  await checkInfraFolder(join(root, '.infra'));
  await expect(stat(witness)).rejects.toThrow('ENOENT');
});

test('a symbolic link, a file and a folder that everyone can write are refused', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'real'));
  await symlink(join(folder, 'real'), join(folder, 'link'));
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'open'));
  await chmod(join(folder, 'open'), 0o777);
  for (const name of ['link', 'file', 'open'])
    await expect(prepareInfraFolder(join(folder, name))).rejects.toThrow('UNSAFE_PATH');
});

test('the log makes the folder when it first writes', async () => {
  const folder = await temporaryFolder();
  const infra = join(folder, '.infra');
  const log = openLog(join(infra, 'emulator', 'eventlog.jsonl'), { infraFolder: infra });
  await log.append(context(), [factRow('a')]);
  expect(await readFile(join(infra, '.gitignore'), 'utf8')).toBe('*\n');
  expect((await log.read('cloud')).model.owned.size).toBe(1);
});

test('a place where no folder can be made is told', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(prepareInfraFolder(join(folder, 'file', '.infra'))).rejects.toThrow('LOG_WRITE');
  await expect(openLog(join(folder, 'file', 'log')).append(context(), [factRow('a')])).rejects.toThrow('LOG_WRITE');
});

test('a link to nowhere is no missing folder', async () => {
  const path = join(await temporaryFolder(), '.infra');
  await symlink('nowhere', path);
  const log = openLog(join(path, 'eventlog.jsonl'), { infraFolder: path });
  await expect(log.read('cloud')).rejects.toThrow('UNSAFE_PATH');
  await expect(log.verify()).rejects.toThrow('UNSAFE_PATH');
});
