import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import * as z from 'zod/mini';
import { systemCode } from './problems.ts';

const text = z.nullable(z.string());

const lockHolder = z.object({
  id: z.string().check(z.regex(/^[0-9a-f]{12}$/)),
  locks: z.string(),
  pid: z.int().check(z.positive()),
  started: text,
  boot: text,
  machine: text,
  pid_namespace: text,
  host: z.string(),
  user: z.string(),
  since: z.string(),
});

/**
 * What a lock file says about who holds it. `started` is the process's start in clock ticks since boot; what a system
 * doesn't tell is null. `since` is an RFC 3339 time.
 */
export type LockHolder = z.infer<typeof lockHolder>;

/** `dead` and `alive` are proven; `elsewhere` can't be told from here (another host, container or user space). */
export type Liveness = 'dead' | 'alive' | 'elsewhere';

/** An empty lock file: its name outlived a crash of the system and its content did not, so no process holds it. */
export const LOST: LockHolder = {
  id: '000000000000',
  locks: 'what a system crash left',
  pid: 0,
  started: null,
  boot: null,
  machine: null,
  pid_namespace: null,
  host: 'unknown',
  user: 'unknown',
  since: 'unknown',
};

/** A fresh holder: this process. */
export function thisProcess(locks: string, actor: { readonly user: string; readonly host: string }): LockHolder {
  return {
    id: randomBytes(6).toString('hex'),
    locks,
    pid: process.pid,
    started: readProcess(process.pid)?.started ?? null,
    ...thisSystem(),
    host: actor.host,
    user: actor.user,
    since: new Date().toISOString(),
  };
}

/** Null where the text is not what a lock holds. */
export function parseHolder(content: string): LockHolder | null {
  try {
    return lockHolder.parse(JSON.parse(content));
  } catch {
    return null;
  }
}

/** Whether the process that took a lock still is, as far as it can be proven from `host`. */
export function livenessOf(holder: LockHolder, host: string): Liveness {
  if (holder.pid === LOST.pid) return 'dead';
  const here = thisSystem();
  if (holder.host !== host || holder.machine !== here.machine) return 'elsewhere';
  if (holder.boot !== here.boot) return holder.machine === null || holder.boot === null ? 'elsewhere' : 'dead';
  if (holder.pid_namespace !== here.pid_namespace) return 'elsewhere';
  if (!exists(holder.pid)) return 'dead';
  const found = readProcess(holder.pid);
  if (found === null || holder.started === null) return 'alive';
  return found.ended || found.started !== holder.started ? 'dead' : 'alive';
}

export function describeHolder(holder: LockHolder): string {
  return `${holder.user}@${holder.host} (pid ${holder.pid}, lock ${holder.id}) since ${holder.since}`;
}

function thisSystem(): Pick<LockHolder, 'boot' | 'machine' | 'pid_namespace'> {
  return {
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    machine: attempt(() => readFileSync('/etc/machine-id', 'utf8').trim() || null),
    pid_namespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
  };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

/** Start time and whether it is a zombie; null where the system doesn't show it. */
function readProcess(pid: number): { readonly started: string | null; readonly ended: boolean } | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === null) return null;
  // The command's name stands in brackets and may hold anything; the state is the first field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { started: fields[19] ?? null, ended: fields[0] === 'Z' || fields[0] === 'X' };
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
