import { isError } from '../core/diagnostics.ts';
import type { Observation } from '../core/resource.ts';
import type { ValueObject } from '../core/value.ts';
import { declaredNames } from './declared-names.ts';
import { type LiveSteps, liveSteps } from './live-steps.ts';
import type { PlanContext } from './plan-context.ts';
import { checkGuardOffline, type PreparedStep } from './prepare.ts';

/** With what and among which steps is looked. */
export type LookContext = Pick<PlanContext, 'ports' | 'prepared' | 'ownership' | 'sessionOf'>;

/** What a look at the cloud shows of what the playbook has under an address, whatever its verb makes of it. */
export interface DeclaredLook {
  /** With what is known of it now. */
  readonly desired: ValueObject;
  readonly seen: Observation;
}

const known = new WeakMap<LookContext, LiveSteps>();

/** Looks at what is declared, and first at what that stands on, each once a context: in what is not there nothing can be. */
export async function lookAtDeclared(context: LookContext, { step }: PreparedStep): Promise<DeclaredLook> {
  const item = context.prepared.declared.get(step.address);
  if (item === undefined) throw new TypeError(`${step.address} is no step of the playbook`);
  const live = known.get(context) ?? liveIn(context);
  known.set(context, live);
  const resolved = await live.resolve(item);
  if (resolved.kind === 'unreadable') return { desired: item.declaration.desired, seen: await live.observe(item) };
  const { desired } = resolved;
  const refused = checkGuardOffline(item, desired).find(isError);
  return { desired, seen: refused === undefined ? await live.observe(item) : { kind: 'unreadable', why: refused } };
}

/** By the authority of each step, in the sessions of the context. */
function liveIn({ ports, prepared, ownership, sessionOf }: LookContext): LiveSteps {
  return liveSteps(
    {
      readers: ports.pool,
      authOf: (_stack, _provider, step) => step ?? { auth: null, endpoint: null, settings: null },
    },
    prepared,
    declaredNames(ports, prepared, ownership.model),
    (provider) => sessionOf({ kind: 'open', provider }) ?? provider.openSession(),
    { hiddenIsAbsent: true },
  );
}
