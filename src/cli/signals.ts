import { EXIT } from './exit-codes.ts';
import type { Host, SignalName } from './host.ts';

/** How long a run may take to come to an end after the second interrupt. */
const GRACE_MS = 10_000;

/** The two stages of an interrupt. */
export interface Interrupts {
  /** Nothing new starts. */
  readonly stop: AbortSignal;
  /** What is in flight is given up. */
  readonly abort: AbortSignal;
  /** The first signal that came; null while none did. */
  received(): SignalName | null;
  /** Stops listening. */
  dispose(): void;
}

/**
 * Listens for SIGINT and SIGTERM: the first stops, the second aborts, a third (or a run that does not come to an end) quits.
 * A run that only reads has nothing to settle: its first interrupt quits. `waitingFor` names what is in flight.
 */
export function listenForInterrupts(host: Host, settles: boolean, waitingFor: () => readonly string[]): Interrupts {
  const stop = new AbortController();
  const abort = new AbortController();
  let first: SignalName | null = null;
  let timer: NodeJS.Timeout | undefined;
  const quit = (): void => host.quit(first === 'SIGTERM' ? EXIT.sigterm : EXIT.sigint);
  const giveUp = (): void => {
    abort.abort();
    timer = setTimeout(quit, GRACE_MS);
    timer.unref();
  };
  const stopListening = host.onSignal((signal) => {
    if (abort.signal.aborted) return quit();
    if (first !== null) {
      host.stderr.write('Interrupted again: what is in flight is recorded as uncertain.\n');
      return giveUp();
    }
    first = signal;
    stop.abort();
    if (!settles) return quit();
    host.stderr.write(`${firstMessage(waitingFor())}\n`);
  });
  return {
    stop: stop.signal,
    abort: abort.signal,
    received: () => first,
    dispose: () => {
      stopListening();
      clearTimeout(timer);
    },
  };
}

function firstMessage(waiting: readonly string[]): string {
  const again = 'Interrupt again to give up on it.';
  if (waiting.length === 0) return 'Interrupted: nothing new starts. Interrupt again to give up on the run.';
  const shown = waiting.slice(0, 5).join(', ');
  const more = waiting.length > 5 ? ` and ${waiting.length - 5} more` : '';
  return `Interrupted: nothing new starts; waiting for ${shown}${more}. ${again}`;
}
