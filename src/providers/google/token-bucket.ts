import type { Timing } from './timing.ts';

const DECREASE = 0.5;
/** Requests a second that are added for each second without a rate limit. */
const INCREASE_PER_SECOND = 0.5;
const SLOWEST_PER_SECOND = 0.1;
/** Above this the bucket stops shaping: no quota of the three APIs is that high. */
const UNSHAPED_PER_SECOND = 50;
/** Many calls in flight meet the same limit; within this time they count as one. */
const SAME_LIMIT_MS = 1000;
const WINDOW_MS = 5000;

/**
 * Spaces requests out once a service has reported a rate limit: the rate is halved, then grows again while no limit is
 * met, until the bucket shapes nothing any more. Before the first limit it costs nothing.
 */
export class TokenBucket {
  readonly #timing: Timing;
  /** Requests a second; null: not shaped. */
  #rate: number | null = null;
  #nextAt = 0;
  #blockedUntil = Number.NEGATIVE_INFINITY;
  #limitedAt = Number.NEGATIVE_INFINITY;
  #grownAt = 0;
  #windowStart = 0;
  #inWindow = 0;

  constructor(timing: Timing) {
    this.#timing = timing;
    this.#windowStart = timing.now();
  }

  /** Requests a second that are let through now; null while nothing is shaped. */
  get rate(): number | null {
    return this.#rate;
  }

  /** Waits for a turn, or until the signal aborts. */
  async take(signal?: AbortSignal): Promise<void> {
    let wait = this.#reserve();
    while (wait > 0 && signal?.aborted !== true) {
      await this.#timing.sleep(wait, signal);
      const blocked = this.#blockedUntil - this.#timing.now();
      wait = blocked > 0 ? this.#reserve() : 0;
    }
    this.#count();
  }

  /** A rate limit was met; nothing is sent for `floorMs`. */
  limited(floorMs: number): void {
    const now = this.#timing.now();
    this.#blockedUntil = Math.max(this.#blockedUntil, now + floorMs);
    if (now - this.#limitedAt < SAME_LIMIT_MS) return;
    const before = this.#rate ?? this.#observedRate(now);
    this.#rate = Math.max(SLOWEST_PER_SECOND, before * DECREASE);
    this.#limitedAt = now;
    this.#grownAt = now;
  }

  /** An answer came that was no rate limit. */
  succeeded(): void {
    if (this.#rate === null) return;
    const now = this.#timing.now();
    this.#rate += ((now - this.#grownAt) / 1000) * INCREASE_PER_SECOND;
    this.#grownAt = now;
    if (this.#rate >= UNSHAPED_PER_SECOND) this.#rate = null;
  }

  #reserve(): number {
    const now = this.#timing.now();
    const at = Math.max(now, this.#nextAt, this.#blockedUntil);
    this.#nextAt = this.#rate === null ? at : at + 1000 / this.#rate;
    return at - now;
  }

  #count(): void {
    const now = this.#timing.now();
    if (now - this.#windowStart > WINDOW_MS) {
      this.#windowStart = now;
      this.#inWindow = 0;
    }
    this.#inWindow += 1;
  }

  #observedRate(now: number): number {
    const seconds = Math.max(1, (now - this.#windowStart) / 1000);
    return Math.min(UNSHAPED_PER_SECOND, Math.max(1, this.#inWindow) / seconds);
  }
}

/** How many requests are under way at once: halved by a rate limit, grown back one by one. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #timing: Timing;
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #active = 0;
  #limitedAt = Number.NEGATIVE_INFINITY;

  constructor(max: number, timing: Timing) {
    this.#max = max;
    this.#limit = max;
    this.#timing = timing;
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Resolves with whether there is room: false when the signal aborted first. Pair with `leave`. */
  enter(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    if (this.#active < this.limit) {
      this.#active += 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const admit = () => {
        signal?.removeEventListener('abort', drop);
        this.#active += 1;
        resolve(true);
      };
      const drop = () => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        resolve(false);
      };
      this.#waiting.push(admit);
      signal?.addEventListener('abort', drop, { once: true });
    });
  }

  leave(): void {
    this.#active -= 1;
    this.#admit();
  }

  limited(): void {
    const now = this.#timing.now();
    if (now - this.#limitedAt < SAME_LIMIT_MS) return;
    this.#limitedAt = now;
    this.#limit = Math.max(1, this.#limit * DECREASE);
  }

  succeeded(): void {
    this.#limit = Math.min(this.#max, this.#limit + 1 / this.#limit);
    this.#admit();
  }

  #admit(): void {
    while (this.#active < this.limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      next();
    }
  }
}
