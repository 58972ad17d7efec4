import { firstOf } from '../engine/time-limit.ts';
import { type OpenedLogs, openLogs } from './compose-logs.ts';
import { composeReaders, type Readers } from './composition.ts';
import type { Place } from './place.ts';
import { listenForInterrupts } from './signals.ts';
import type { Project, WorkflowCall } from './workflow-types.ts';

/** Opens the logs for one verb, and puts them away again. */
export async function withLogs<T>(
  call: WorkflowCall,
  place: Place,
  body: (logs: OpenedLogs) => Promise<T>,
): Promise<T> {
  const logs = await openLogs(call, place);
  try {
    return await body(logs);
  } finally {
    await logs.close();
  }
}

/** Opens readers of clouds for one verb; an interrupt ends it at once, since nothing has to be settled. */
export async function withReaders<T>(
  call: WorkflowCall,
  place: Place,
  projects: readonly Project[],
  body: (readers: Readers) => Promise<T>,
): Promise<T> {
  const interrupts = listenForInterrupts(call.host, false, () => []);
  const signal = firstOf(interrupts.abort, call.deadline);
  const readers = composeReaders(call, place, projects, signal);
  try {
    return await body(readers);
  } finally {
    interrupts.dispose();
    await readers.close();
  }
}
