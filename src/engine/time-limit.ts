/**
 * Aborts when `signal` does, or with a TimeoutError after `ms`; null: no limit. Made by hand, because Node 20 lets
 * `AbortSignal.any([..., AbortSignal.timeout(ms)])` fall to the garbage collector, and the time is never up.
 */
export function withTimeLimit(signal: AbortSignal, ms: number | null): AbortSignal {
  if (ms === null || signal.aborted) return signal;
  const limited = new AbortController();
  const timer = setTimeout(() => limited.abort(new DOMException('The time is up.', 'TimeoutError')), ms);
  timer.unref();
  const stop = (): void => {
    clearTimeout(timer);
    limited.abort(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  limited.signal.addEventListener('abort', () => signal.removeEventListener('abort', stop), { once: true });
  return limited.signal;
}

/** Aborts when either does; by hand for the same reason. */
export function firstOf(one: AbortSignal, other: AbortSignal): AbortSignal {
  const joined = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) joined.abort(signal.reason);
    signal.addEventListener('abort', () => joined.abort(signal.reason), { once: true, signal: joined.signal });
  }
  return joined.signal;
}
