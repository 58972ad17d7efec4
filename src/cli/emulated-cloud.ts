import { randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import type { EndpointSpec, Playbook } from '../core/step.ts';
import { seedOf } from './emulator-seed.ts';
import { startEmulator } from './emulator-state.ts';
import type { Project } from './workflow-types.ts';

/** The emulator inside this process, for one run. */
export interface EmulatedCloud {
  readonly endpoints: EndpointSpec;
  /** Made up here, in memory only; it opens nothing else. */
  readonly token: string;
  close(): Promise<void>;
}

/** What an emulator is started for; without a playbook there is only what an earlier run kept. */
interface EmulatedFor extends Pick<Project, 'folder' | 'mayWrite'> {
  readonly playbook: Playbook | null;
}

/**
 * Starts the emulator with what the playbook speaks of. Its state outlives the process only where the run may change
 * something, or where there is one already: a plan leaves no trace but its plan.
 */
export async function startEmulatedCloud({ folder, playbook, mayWrite }: EmulatedFor): Promise<EmulatedCloud> {
  const kept = mayWrite || (await exists(folder.emulatorState));
  if (mayWrite) await folder.prepare();
  else await folder.check();
  const options = {
    seed: playbook === null ? {} : seedOf(playbook),
    operationPolls: 0,
    ...(kept ? { stateFile: folder.emulatorState } : {}),
  };
  const emulator = await startEmulator(options, 'infra emulator reset');
  return {
    endpoints: { crm: `${emulator.url}/v3`, billing: `${emulator.url}/v1`, serviceusage: `${emulator.url}/v1` },
    token: randomBytes(24).toString('base64url'),
    close: () => emulator.close(),
  };
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
