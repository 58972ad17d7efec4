import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type JsonlLog, type JsonlLogOptions, openJsonlLog } from '../../../src/eventlog/jsonl-file.ts';
import { ACTOR } from './facts.ts';

/** A folder of this test's own, removed after it. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export function openLog(path: string, options: Partial<JsonlLogOptions> = {}): JsonlLog {
  return openJsonlLog({ path, infraFolder: null, actor: ACTOR, now: () => new Date(Date.UTC(2026, 0, 1)), ...options });
}
