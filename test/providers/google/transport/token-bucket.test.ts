import { describe, expect, it } from 'vitest';
import { ConcurrencyLimit, TokenBucket } from '../../../../src/providers/google/token-bucket.ts';
import { clientFor, fakeTiming, ok, READ, refuse, serve } from './loopback.ts';

describe('the token bucket', () => {
  it('costs nothing before the first limit', async () => {
    const timing = fakeTiming();
    const bucket = new TokenBucket(timing);
    for (let count = 0; count < 1000; count += 1) await bucket.take();
    expect(timing.slept).toEqual([]);
    expect(bucket.rate).toBeNull();
  });

  it('halves what went through, spaces requests out, and holds them back for the floor', async () => {
    const timing = fakeTiming();
    const bucket = new TokenBucket(timing);
    for (let count = 0; count < 10; count += 1) await bucket.take();
    bucket.limited(3000);
    expect(bucket.rate).toBe(5);
    await bucket.take();
    await bucket.take();
    await bucket.take();
    expect(timing.slept).toEqual([3000, 200, 200]);
  });

  it('counts limits that are met at once as one, and later ones anew', () => {
    const timing = fakeTiming();
    const bucket = new TokenBucket(timing);
    for (let count = 0; count < 5; count += 1) bucket.limited(0);
    expect(bucket.rate).toBe(0.5);
    timing.advance(2000);
    bucket.limited(0);
    expect(bucket.rate).toBe(0.25);
    for (let count = 0; count < 10; count += 1) {
      timing.advance(2000);
      bucket.limited(0);
    }
    expect(bucket.rate).toBe(0.1);
  });

  it('recovers while no limit is met, until it shapes nothing', () => {
    const timing = fakeTiming();
    const bucket = new TokenBucket(timing);
    bucket.limited(0);
    timing.advance(10_000);
    bucket.succeeded();
    expect(bucket.rate).toBe(5.5);
    timing.advance(90_000);
    bucket.succeeded();
    expect(bucket.rate).toBeNull();
  });

  it('lets go of who is interrupted', async () => {
    const timing = fakeTiming();
    const bucket = new TokenBucket(timing);
    bucket.limited(5000);
    await bucket.take(AbortSignal.abort());
    expect(timing.slept).toEqual([]);
  });

  it('holds back again what wakes into a new limit', async () => {
    const timing = fakeTiming();
    let woken = 0;
    const bucket = new TokenBucket({
      ...timing,
      sleep: async (ms) => {
        await timing.sleep(ms);
        woken += 1;
        if (woken === 1) bucket.limited(4000);
      },
    });
    bucket.limited(1000);
    await bucket.take();
    expect(timing.slept).toEqual([1000, 4000]);
  });
});

describe('concurrency', () => {
  it('adapts: halved by a limit, grown back by successes', async () => {
    const timing = fakeTiming();
    const room = new ConcurrencyLimit(8, timing);
    room.limited();
    room.limited();
    expect(room.limit).toBe(4);
    timing.advance(2000);
    room.limited();
    expect(room.limit).toBe(2);
    for (let count = 0; count < 100; count += 1) room.succeeded();
    expect(room.limit).toBe(8);
  });

  it('admits in turn', async () => {
    const room = new ConcurrencyLimit(1, fakeTiming());
    const order: string[] = [];
    expect(await room.enter()).toBe(true);
    const second = room.enter().then(() => order.push('second'));
    const third = room.enter().then(() => order.push('third'));
    room.leave();
    await second;
    room.leave();
    await third;
    expect(order).toEqual(['second', 'third']);
  });

  it('drops who is interrupted while waiting', async () => {
    const controller = new AbortController();
    const room = new ConcurrencyLimit(1, fakeTiming());
    await room.enter();
    const waiting = room.enter(controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
    expect(await room.enter(controller.signal)).toBe(false);
  });
});

describe('D6: a run under a rate limit', () => {
  it('slows down as a whole and loses no call', async () => {
    let allowed = 5;
    const limit = refuse(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric x');
    const timing = fakeTiming(0.5);
    let refilled = timing.now();
    const server = await serve((request, response) => {
      // Five at once, then five a second more.
      const now = timing.now();
      allowed = Math.min(5, allowed + ((now - refilled) / 1000) * 5);
      refilled = now;
      if (allowed < 1) return limit(request, response);
      allowed -= 1;
      return ok(request, response);
    });
    const client = clientFor(server, { timing });
    const results = await Promise.all(Array.from({ length: 60 }, () => client.call(READ)));
    expect(results.every((result) => result.kind === 'ok')).toBe(true);
  });
});
