import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { withTimeLimit } from '../../src/engine/time-limit.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

test('the time is up although nobody but a listener holds on to it', async () => {
  const onAbort = vi.fn();
  withTimeLimit(new AbortController().signal, 60).addEventListener('abort', onAbort);
  if (typeof collectGarbage === 'function') collectGarbage();
  await vi.waitFor(() => expect(onAbort).toHaveBeenCalledOnce());
});

test('aborts with the signal that it was given, and says why', () => {
  const controller = new AbortController();
  const limited = withTimeLimit(controller.signal, 60_000);
  controller.abort('interrupted');
  expect([limited.aborted, limited.reason]).toEqual([true, 'interrupted']);
});

test('names a timeout as such', async () => {
  const limited = withTimeLimit(new AbortController().signal, 1);
  await vi.waitFor(() => expect(limited.aborted).toBe(true));
  expect(limited.reason).toMatchObject({ name: 'TimeoutError' });
});

test('without a limit it is the signal itself', () => {
  const { signal } = new AbortController();
  expect(withTimeLimit(signal, null)).toBe(signal);
  expect(withTimeLimit(AbortSignal.abort('x'), 5).reason).toBe('x');
});
