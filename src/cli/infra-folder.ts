import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { checkInfraFolder, prepareInfraFolder } from '../eventlog/folder.ts';

/** Where a run keeps its things: `.infra`, or for the emulator `.infra/emulator`. */
export interface InfraFolder {
  /** `.infra` itself: what is checked before anything in it is believed. */
  readonly root: string;
  /** The part of it that this run uses. */
  readonly path: string;
  readonly plans: string;
  readonly eventlog: string;
  /** The emulator's state; only with the emulator. */
  readonly emulatorState: string;
  /** Where the fake `yc` lies, and its state; only with the emulator. */
  readonly ycFolder: string;
  readonly ycState: string;
  /** Throws DiagnosticError (UNSAFE_PATH) where the folder is a link, someone else's or tracked by git. */
  check(): Promise<void>;
  /** Makes what is missing. */
  prepare(): Promise<void>;
}

/** Beside infra.yaml (its path is given), else in the current folder. */
export function infraFolder(cwd: string, configFile: string | null, emulator: boolean): InfraFolder {
  const root = join(configFile === null ? cwd : dirname(configFile), '.infra');
  const path = emulator ? join(root, 'emulator') : root;
  const plans = join(path, 'plans');
  const ycFolder = join(path, 'bin');
  const parts = emulator ? [path, plans] : [plans];
  return {
    root,
    path,
    plans,
    eventlog: join(path, 'eventlog.jsonl'),
    emulatorState: join(path, 'google.json'),
    ycFolder,
    ycState: join(path, 'yc.json'),
    check: async () => {
      await checkInfraFolder(root);
      for (const part of parts) await refuseLink(part);
    },
    prepare: async () => {
      await prepareInfraFolder(root);
      for (const part of parts) {
        await refuseLink(part);
        await mkdir(part, { recursive: true, mode: 0o700 });
      }
    },
  };
}

async function refuseLink(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || stats.isDirectory()) return;
  throw new DiagnosticError([
    diagnostic('UNSAFE_PATH', `${path} is a symbolic link or no folder; infra doesn't follow it.`),
  ]);
}
