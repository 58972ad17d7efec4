import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { Owned, OwnershipModel } from '../core/fold.ts';
import { canonicalJson, sha256Hex } from '../core/json.ts';
import { oneNames, writtenAs } from './one-name.ts';
import type { EnginePorts, RunSettings } from './ports.ts';
import { newExecutionId } from './walk-state.ts';

export interface ForgetRequest {
  /** Any of the names of what is owned. */
  readonly urn: string;
  readonly target: string;
  /** Whose it has to be; null: anyone's. */
  readonly stack: string | null;
  /** Null: only say what would be given up, and under which digest. */
  readonly confirm: string | null;
  readonly settings: RunSettings;
}

export interface ForgetResult {
  readonly digest: string;
  readonly owned: Owned;
  /** Null where nothing was written. */
  readonly fact: ProviderFact | null;
  readonly head: string | null;
  /** Whether an earlier run wrote the fact, under the digest that is confirmed again. */
  readonly already: boolean;
}

type ForgetPorts = Pick<EnginePorts, 'catalogues' | 'log' | 'clock' | 'randomHex' | 'emit'>;

/** Gives the ownership of a resource up, without any call to a cloud. Throws DiagnosticError where it is not owned or not confirmed. */
export async function forget(ports: ForgetPorts, request: ForgetRequest): Promise<ForgetResult> {
  const before = await alreadyForgotten(ports, request);
  if (before !== null) return before;
  if (request.confirm === null) return await preview(ports, request);
  if (!ports.log.writable)
    throw new DiagnosticError([
      diagnostic('LOG_READ_ONLY', `${ports.log.url} can only be read, and forgetting is a fact to be written.`),
    ]);
  const { owned } = await preview(ports, request);
  const locks = await ports.log.lock([owned.stack], request.settings.lockTimeoutMs);
  try {
    await ports.log.verify();
    return await forgetLocked(ports, request);
  } finally {
    await locks.release();
  }
}

/** The fact carries the digest that it was confirmed by. */
async function alreadyForgotten(
  ports: Pick<EnginePorts, 'catalogues' | 'log'>,
  { urn, target, confirm }: ForgetRequest,
): Promise<ForgetResult | null> {
  if (confirm === null) return null;
  const { model, head } = await ports.log.read(target);
  const names = writtenAs(ports, model, urn);
  const fact = names.flatMap((name) => model.tombstones.get(name) ?? []).find(({ digest }) => digest === confirm);
  if (fact?.forgotten !== true || model.owned.has(fact.urn)) return null;
  return { digest: confirm, owned: ownedBefore(fact), fact, head, already: true };
}

function ownedBefore(fact: ProviderFact): Owned {
  return {
    urn: fact.urn,
    stack: fact.stack,
    provider: fact.provider,
    service: fact.service,
    resourceType: fact.resource_type,
    resourceId: fact.resource_id ?? null,
    lastDesired: fact.desired,
    lastExecutionId: fact.execution_id,
    origin: fact.origin ?? null,
    began: 'said',
    credential: fact.credential ?? null,
  };
}

async function preview(
  ports: Pick<EnginePorts, 'catalogues' | 'log'>,
  { urn: said, target, stack }: ForgetRequest,
): Promise<ForgetResult> {
  const state = await ports.log.read(target);
  const owned = ownedAs(ports, state.model, said, stack);
  const urn = owned?.urn ?? said;
  if (owned === undefined)
    throw new DiagnosticError([
      diagnostic('NOT_OURS', `the log does not show that anything called ${urn} is owned.`, {
        urn,
        hint: 'infra log owned lists what is',
      }),
    ]);
  if (stack !== null && owned.stack !== stack)
    throw new DiagnosticError([
      diagnostic('NOT_OURS', `${urn} is owned by stack ${JSON.stringify(owned.stack)}, and --stack says ${stack}.`, {
        urn,
      }),
    ]);
  if (state.openIntents.some(({ intent }) => intent.urn === urn)) {
    throw new DiagnosticError([
      diagnostic(
        'BLOCKED',
        `an earlier run was interrupted while changing ${urn}; what became of it is not known yet.`,
        { urn, hint: 'Apply its playbook again, or settle it with infra recover.' },
      ),
    ]);
  }
  return { digest: digestOf(target, owned), owned, fact: null, head: state.head, already: false };
}

/** What is owned under this very name, else under another name of the same resource. */
function ownedAs(
  ports: Pick<EnginePorts, 'catalogues'>,
  model: OwnershipModel,
  urn: string,
  stack: string | null,
): Owned | undefined {
  const own = model.owned.get(urn);
  if (own !== undefined) return own;
  const others = oneNames(ports, model).ownedAs(urn);
  return others.find((item) => item.stack === stack) ?? others[0];
}

/** Bound to the verb, the target, and what would be given up. */
function digestOf(target: string, { urn, stack, lastDesired, resourceId, lastExecutionId }: Owned): string {
  return sha256Hex(
    canonicalJson({
      v: 1,
      verb: 'forget',
      target,
      urn,
      stack,
      resource_id: resourceId,
      desired: lastDesired,
      execution_id: String(lastExecutionId),
    }),
  );
}

async function forgetLocked(ports: ForgetPorts, request: ForgetRequest): Promise<ForgetResult> {
  const { digest, owned } = await preview(ports, request);
  if (request.confirm !== digest) {
    throw new DiagnosticError([
      diagnostic(
        'DIGEST_STALE',
        `the confirmed digest is not that of ${request.urn} as the log has it now: owned by stack ${JSON.stringify(owned.stack)}, as execution ${owned.lastExecutionId} recorded it last. Nothing was written.`,
        { urn: request.urn, hint: `infra forget ${request.urn} shows the digest` },
      ),
    ]);
  }
  const context = {
    execution_id: newExecutionId(ports),
    actor: request.settings.actor,
    infra: request.settings.version,
    target: request.target,
  };
  const fact = forgottenFact(owned, context.execution_id, digest);
  await ports.log.append(context, [{ type: 'provider.fact', provider_fact: fact }]);
  ports.emit({ type: 'fact', provider_fact: fact });
  return { digest, owned, fact, head: await ports.log.head(), already: false };
}

function forgottenFact(owned: Owned, executionId: number, digest: string): ProviderFact {
  return {
    urn: owned.urn,
    provider: owned.provider,
    service: owned.service,
    resource_type: owned.resourceType,
    verb: 'delete',
    stack: owned.stack,
    desired: owned.lastDesired,
    execution_id: executionId,
    outcome: 'absent',
    ...(owned.resourceId === null ? {} : { resource_id: owned.resourceId }),
    digest,
    forgotten: true,
  };
}
