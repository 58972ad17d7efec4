import { expect, it } from 'vitest';
import { clientFor, ok, READ, refuse, serve } from './loopback.ts';

it('tells of waits that last, and of no others', async () => {
  const told: unknown[] = [];
  const server = await serve(...Array.from({ length: 5 }, () => refuse(503, 'UNAVAILABLE', 'x')), ok);
  const client = clientFor(server, { onWait: (...wait) => told.push(wait) });
  expect(await client.call(READ)).toMatchObject({ kind: 'ok' });
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(5);
  for (const wait of told) expect(wait).toEqual(['crm', expect.any(Number), false]);
});
