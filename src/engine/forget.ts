import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import type { Owned } from '../core/fold.ts';
import { canonicalJson, sha256Hex } from '../core/json.ts';
import type { EnginePorts, RunSettings } from './ports.ts';
import { newExecutionId } from './walk-state.ts';

export interface ForgetRequest {
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

/** Gives the ownership of a resource up, without any call to a cloud. Throws DiagnosticError where it is not owned or not confirmed. */
export async function forget(
  ports: Pick<EnginePorts, 'log' | 'clock' | 'randomHex' | 'emit'>,
  request: ForgetRequest,
): Promise<ForgetResult> {
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
  { log }: Pick<EnginePorts, 'log'>,
  { urn, target, confirm }: ForgetRequest,
): Promise<ForgetResult | null> {
  if (confirm === null) return null;
  const { model, head } = await log.read(target);
  const fact = model.tombstones.get(urn);
  if (model.owned.has(urn) || fact?.forgotten !== true || fact.digest !== confirm) return null;
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
    credential: fact.credential ?? null,
  };
}

async function preview(
  { log }: Pick<EnginePorts, 'log'>,
  { urn, target, stack }: ForgetRequest,
): Promise<ForgetResult> {
  const state = await log.read(target);
  const owned = state.model.owned.get(urn);
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

async function forgetLocked(
  ports: Pick<EnginePorts, 'log' | 'clock' | 'randomHex' | 'emit'>,
  request: ForgetRequest,
): Promise<ForgetResult> {
  const { digest, owned } = await preview(ports, request);
  if (request.confirm !== digest) {
    throw new DiagnosticError([
      diagnostic(
        'DIGEST_STALE',
        `the confirmed digest is not that of ${request.urn} as the log has it now. Nothing was written.`,
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
