import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listLocks, lockAppend, lockStacks, locksFolder, removeLock } from '../../src/eventlog/lock.ts';
import { type LockHolder, livenessOf, thisProcess } from '../../src/eventlog/lock-holder.ts';
import { bundleChild, kill, nextLine, startChild } from './support/child.ts';
import { ACTOR } from './support/facts.ts';
import { temporaryFolder } from './support/log.ts';

let programs = '';
let program = '';
beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'infra-child-'));
  program = await bundleChild(programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));

async function deadHolder(folder: string, verb: 'hold-stack' | 'hold-append', name: string): Promise<LockHolder> {
  const child = startChild(program, [verb, folder, name]);
  expect(await nextLine(child)).toBe('held');
  await kill(child);
  const [lock] = await listLocks(folder, ACTOR.host);
  if (lock === undefined) throw new Error('the killed child left no lock');
  return lock.holder;
}

const filesIn = (folder: string) => readdir(locksFolder(folder));

test('locks of stacks are taken, told and given up; releasing twice is fine', async () => {
  const folder = await temporaryFolder();
  const held = await lockStacks(folder, ['b', 'a', 'a'], ACTOR, 0);
  const locks = await listLocks(folder, ACTOR.host);
  expect(locks.map(({ holder, liveness }) => [holder.locks, liveness]).sort()).toEqual([
    ['stack a', 'alive'],
    ['stack b', 'alive'],
  ]);
  await held.release();
  await held.release();
  expect(await filesIn(folder)).toEqual([]);
});

test('a live process holds: refused with who and since when, nothing else is kept', async () => {
  const folder = await temporaryFolder();
  const child = startChild(program, ['hold-stack', folder, 'prod']);
  await nextLine(child);
  await expect(lockStacks(folder, ['a', 'prod'], ACTOR, 30)).rejects.toThrow(
    new RegExp(`LOCK_HELD: .*stack prod is held by child@testhost \\(pid ${child.process.pid}.* since 20`),
  );
  expect(await filesIn(folder)).toHaveLength(1);
  child.process.stdin?.end();
  await child.ended;
  await (await lockStacks(folder, ['prod'], ACTOR, 0)).release();
});

test('who waits gets the lock when it is given up', async () => {
  const folder = await temporaryFolder();
  const child = startChild(program, ['hold-stack', folder, 'prod']);
  await nextLine(child);
  const waiting = lockStacks(folder, ['prod'], ACTOR, 20_000);
  child.process.stdin?.end();
  const held = await waiting;
  await held.release();
});

test('a dead holder is named as dead, with the line that removes it', async () => {
  const folder = await temporaryFolder();
  const holder = await deadHolder(folder, 'hold-stack', 'prod');
  await expect(lockStacks(folder, ['prod'], ACTOR, 10_000)).rejects.toThrow(
    new RegExp(`LOCK_STALE: .*pid ${holder.pid}.*dead.*infra unlock ${holder.id}`),
  );
  expect(await listLocks(folder, ACTOR.host)).toMatchObject([{ liveness: 'dead' }]);
  expect(await removeLock(folder, holder.id, ACTOR.host)).toEqual(holder);
  await (await lockStacks(folder, ['prod'], ACTOR, 0)).release();
});

test('unlock refuses a live holder, and knows no other id', async () => {
  const folder = await temporaryFolder();
  const held = await lockStacks(folder, ['prod'], ACTOR, 0);
  const [lock] = await listLocks(folder, ACTOR.host);
  await expect(removeLock(folder, lock?.holder.id ?? '', ACTOR.host, true)).rejects.toThrow('LOCK_HELD');
  expect(await removeLock(folder, '000000000000', ACTOR.host)).toBeNull();
  await held.release();
});

test('a holder elsewhere is not judged: unlock needs force', async () => {
  const folder = await temporaryFolder();
  const holder = { ...thisProcess('stack prod', { user: 'far', host: 'farhost' }), pid: 1 };
  await mkdir(locksFolder(folder));
  await writeFile(join(locksFolder(folder), 'stack-far.lock'), JSON.stringify(holder));
  await expect(removeLock(folder, holder.id, ACTOR.host)).rejects.toThrow('LOCK_HELD');
  expect(await removeLock(folder, holder.id, ACTOR.host, true)).toEqual(holder);
  expect(await filesIn(folder)).toEqual([]);
});

test('the append lock of a dead holder is broken by one of those who wait', async () => {
  const folder = await temporaryFolder();
  await deadHolder(folder, 'hold-append', 'eventlog.jsonl');
  let inside = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const held = await lockAppend(folder, 'eventlog.jsonl', ACTOR);
      inside += 1;
      expect(inside).toBe(1);
      await Promise.resolve();
      inside -= 1;
      await held.release();
    }),
  );
  expect(await filesIn(folder)).toEqual([]);
});

test('the append lock of a live holder is waited for, not broken', async () => {
  const folder = await temporaryFolder();
  const held = await lockAppend(folder, 'eventlog.jsonl', ACTOR);
  await expect(lockAppend(folder, 'eventlog.jsonl', ACTOR, 20)).rejects.toThrow('LOCK_HELD');
  await held.release();
});

test('a lock that is a symbolic link is not followed', async () => {
  const folder = await temporaryFolder();
  await (await lockStacks(folder, ['prod'], ACTOR, 0)).release();
  const held = await lockStacks(folder, ['prod'], ACTOR, 0);
  const [name = ''] = await filesIn(folder);
  await held.release();
  await writeFile(join(folder, 'target'), '');
  await symlink(join(folder, 'target'), join(locksFolder(folder), name));
  await expect(lockStacks(folder, ['prod'], ACTOR, 0)).rejects.toThrow('UNSAFE_PATH');
});

test('locks are not kept behind a symbolic link', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'elsewhere'));
  await symlink(join(folder, 'elsewhere'), locksFolder(folder));
  await expect(lockStacks(folder, ['prod'], ACTOR, 0)).rejects.toThrow('UNSAFE_PATH');
  await expect(lockAppend(folder, 'eventlog.jsonl', ACTOR)).rejects.toThrow('UNSAFE_PATH');
});

test('a file that is no lock is told, not removed', async () => {
  const folder = await temporaryFolder();
  await mkdir(locksFolder(folder));
  await writeFile(join(locksFolder(folder), 'x.lock'), '{"id":"000000000000","pid":0}');
  await expect(listLocks(folder, ACTOR.host)).rejects.toThrow('UNSAFE_PATH');
  expect(await listLocks(join(folder, 'none'), ACTOR.host)).toEqual([]);
});

test('of two that unlock a dead holder one succeeds, and a lock taken since then stays', async () => {
  const folder = await temporaryFolder();
  const holder = await deadHolder(folder, 'hold-stack', 'prod');
  const removed = await Promise.all([1, 2, 3].map(() => removeLock(folder, holder.id, ACTOR.host)));
  expect(removed.filter((item) => item !== null)).toEqual([holder]);
  const held = await lockStacks(folder, ['prod'], ACTOR, 0);
  expect(await removeLock(folder, holder.id, ACTOR.host)).toBeNull();
  expect(await filesIn(folder)).toHaveLength(1);
  await held.release();
});

test('an empty lock file is what a system crash left: nobody holds it', async () => {
  const folder = await temporaryFolder();
  await (await lockAppend(folder, 'eventlog.jsonl', ACTOR)).release();
  const held = await lockAppend(folder, 'eventlog.jsonl', ACTOR);
  const [name = ''] = await filesIn(folder);
  await writeFile(join(locksFolder(folder), name), '');
  await (await lockAppend(folder, 'eventlog.jsonl', ACTOR)).release();
  await held.release();
  expect(await filesIn(folder)).toEqual([]);
});

const here = thisProcess('stack prod', ACTOR);

test.each<[string, Partial<LockHolder>, string]>([
  ['this process', {}, 'alive'],
  ['another process with this pid', { started: '1' }, 'dead'],
  ['a process on another host', { host: 'farhost' }, 'elsewhere'],
  ['another machine of this name', { machine: 'f'.repeat(32) }, 'elsewhere'],
  ['another container', { pid_namespace: 'pid:[1]' }, 'elsewhere'],
  ['a pid that is free', { pid: 2 ** 22 + 1 }, 'dead'],
  ['an earlier boot, where the machine is known', { boot: 'earlier' }, here.machine === null ? 'elsewhere' : 'dead'],
])('%s is judged right', (_, fields, expected) => {
  expect(livenessOf({ ...here, ...fields }, ACTOR.host)).toBe(expected);
});
