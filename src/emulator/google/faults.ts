import type { Fault, FaultAction } from './options.ts';

type Delay = Extract<FaultAction, { kind: 'delay' }>;
export type MainAction = Exclude<FaultAction, Delay>;

export interface DueFaults {
  readonly delayMs: number;
  /** At most one beside the delays: the first in the order of addition. */
  readonly main: MainAction | undefined;
}

interface ArmedFault {
  readonly fault: Fault;
  readonly path: RegExp;
  seen: number;
}

/** The injected faults, each with its count of matching requests. */
export class Faults {
  private armed: ArmedFault[] = [];

  add(fault: Fault): void {
    this.armed.push({ fault, path: new RegExp(fault.path ?? ''), seen: 0 });
  }

  clear(): void {
    this.armed = [];
  }

  /** Counts the request and tells what is due for it. */
  next(method: string, url: string): DueFaults {
    const due = this.armed
      .filter((armed) => matches(armed, method, url) && isDue(armed))
      .map((armed) => armed.fault.action);
    const delayMs = due.reduce((sum, action) => sum + (action.kind === 'delay' ? action.delayMs : 0), 0);
    return { delayMs, main: due.find((action): action is MainAction => action.kind !== 'delay') };
  }
}

function matches(armed: ArmedFault, method: string, url: string): boolean {
  const { fault, path } = armed;
  return (fault.method === undefined || fault.method.toUpperCase() === method) && path.test(url);
}

function isDue(armed: ArmedFault): boolean {
  armed.seen += 1;
  const first = armed.fault.nth ?? 1;
  const times = armed.fault.times ?? (armed.fault.nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return armed.seen >= first && armed.seen < first + times;
}
