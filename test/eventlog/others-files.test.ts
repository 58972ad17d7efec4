import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkInfraFolder } from '../../src/eventlog/folder.ts';
import { context, factOf, factRow } from './support/facts.ts';
import { openLog, temporaryFolder } from './support/log.ts';

const IS_ROOT = process.getuid?.() === 0;
const OTHER = 4711;

async function logFile(): Promise<string> {
  const path = join(await temporaryFolder(), 'log');
  await writeFile(path, `${JSON.stringify({ provider_fact: factOf('a') })}\n`, { mode: 0o600 });
  return path;
}

test('a log that everyone can write says nothing about what is owned', async () => {
  const path = await logFile();
  expect((await openLog(path).read('cloud')).model.owned.size).toBe(1);
  await chmod(path, 0o646);
  const log = openLog(path);
  await expect(log.read('cloud')).rejects.toThrow(/UNSAFE_PATH: .*can be written by everyone/);
  await expect(log.history(() => undefined)).rejects.toThrow('UNSAFE_PATH');
  await expect(log.walk(null)).rejects.toThrow('UNSAFE_PATH');
});

test('one that is written is its own', async () => {
  const path = join(await temporaryFolder(), 'log');
  await openLog(path).append(context(), [factRow('a')]);
  expect((await openLog(path).read('cloud')).model.owned.size).toBe(1);
});

test.runIf(IS_ROOT)("another user's log, and another user's .infra, are refused, to root too", async () => {
  const path = await logFile();
  await chown(path, OTHER, OTHER);
  await expect(openLog(path).read('cloud')).rejects.toThrow(`UNSAFE_PATH: ${path} belongs to another user (uid 4711)`);
  const folder = join(await temporaryFolder(), '.infra');
  await mkdir(folder, { mode: 0o700 });
  await checkInfraFolder(folder);
  await chown(folder, OTHER, OTHER);
  await expect(checkInfraFolder(folder)).rejects.toThrow('UNSAFE_PATH');
});
