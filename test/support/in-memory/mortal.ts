import type { EventLog } from '../../../src/eventlog/event-log.ts';
import type { LifecycleProvider, OpenedProvider, ProviderPool } from '../../../src/providers/lifecycle-provider.ts';
import { newSignal } from './signal.ts';

/** Where a process dies: around its n-th append to the log or its n-th write to the cloud, counted from 1. */
export interface Death {
  readonly at: 'append' | 'write';
  readonly nth: number;
  /** Whether what it was doing took effect. */
  readonly when: 'before' | 'after';
}

/** A process that can be killed: once it is dead nothing it calls has an effect or comes back. */
export class MortalProcess {
  readonly #death: Death | null;
  readonly #died = newSignal();
  readonly #counts = { append: 0, write: 0 };
  #dead = false;

  constructor(death: Death | null) {
    this.#death = death;
  }

  /** Resolves when it dies. */
  get died(): Promise<void> {
    return this.#died.reached;
  }

  /** How often it did either; what a test may kill it at. */
  get counts(): Readonly<Record<'append' | 'write', number>> {
    return this.#counts;
  }

  log(log: EventLog): EventLog {
    return {
      url: log.url,
      writable: log.writable,
      read: (target) => this.#alive(() => log.read(target)),
      verify: () => this.#alive(() => log.verify()),
      lock: (stacks, timeoutMs) => this.#alive(() => log.lock(stacks, timeoutMs)),
      append: (context, rows) => this.#deadly('append', () => log.append(context, rows)),
      head: () => this.#alive(() => log.head()),
    };
  }

  pool(pool: ProviderPool): ProviderPool {
    return {
      open: async (request): Promise<OpenedProvider> => {
        const opened = await pool.open(request);
        return opened.kind === 'open' ? { kind: 'open', provider: this.#provider(opened.provider) } : opened;
      },
      close: () => pool.close(),
    };
  }

  #provider(provider: LifecycleProvider): LifecycleProvider {
    return {
      identity: provider.identity,
      capabilities: provider.capabilities,
      checkAvailability: () => provider.checkAvailability(),
      checkAuthentication: () => provider.checkAuthentication(),
      openSession: () => provider.openSession(),
      close: () => provider.close(),
      write: (operations, hooks) => this.#deadly('write', () => provider.write(operations, hooks)),
    };
  }

  #alive<T>(act: () => Promise<T>): Promise<T> {
    return this.#dead ? new Promise<T>(() => undefined) : act();
  }

  async #deadly<T>(kind: Death['at'], act: () => Promise<T>): Promise<T> {
    this.#counts[kind] += 1;
    const fatal = this.#death?.at === kind && this.#death.nth === this.#counts[kind] && !this.#dead;
    if (fatal && this.#death?.when === 'before') this.#die();
    const result = await this.#alive(act);
    if (fatal) this.#die();
    return await this.#alive(() => Promise.resolve(result));
  }

  #die(): void {
    this.#dead = true;
    this.#died.fire();
  }
}
