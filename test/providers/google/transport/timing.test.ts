import { describe, expect, it } from 'vitest';
import { SYSTEM_TIMING } from '../../../../src/providers/google/timing.ts';

describe("the system's timing", () => {
  it("ends a sleep with the signal, and doesn't begin one after it", async () => {
    const controller = new AbortController();
    const sleeping = SYSTEM_TIMING.sleep(3_600_000, controller.signal);
    controller.abort();
    await sleeping;
    await SYSTEM_TIMING.sleep(3_600_000, controller.signal);
    await SYSTEM_TIMING.sleep(0);
    await SYSTEM_TIMING.sleep(1);
    expect(SYSTEM_TIMING.now()).toBeGreaterThan(0);
    expect(SYSTEM_TIMING.random()).toBeLessThan(1);
  });
});
