import type { ProviderFact } from '../../../src/core/facts.ts';
import type { FactBody, IntentBody, OutcomeBody, RowContext } from '../../../src/eventlog/event-log.ts';

export const ACTOR = { user: 'tester', host: 'testhost' };
export const DIGEST = 'd'.repeat(64);

export function context(fields: Partial<RowContext> = {}): RowContext {
  return { execution_id: 7, actor: ACTOR, infra: '0.1.0', target: 'cloud', ...fields };
}

export function factOf(project: string, fields: Partial<ProviderFact> = {}): ProviderFact {
  return {
    urn: `google:cloudresourcemanager:project:${project}`,
    provider: 'google',
    service: 'cloudresourcemanager',
    resource_type: 'project',
    verb: 'ensure',
    stack: 'prod',
    desired: { project_id: project },
    execution_id: 7,
    outcome: 'changed',
    ...fields,
  };
}

export function factRow(project: string, fields: Partial<ProviderFact> = {}): FactBody {
  return { type: 'provider.fact', provider_fact: factOf(project, fields) };
}

export function intentRow(project: string, fields: Partial<IntentBody> = {}): IntentBody {
  const fact = factOf(project, { outcome: 'planned' });
  return {
    type: 'provider.intent',
    address: `ensure_${project}`,
    urn: fact.urn,
    stack: 'prod',
    operation: 'create',
    operation_id: 'a'.repeat(32),
    digest: DIGEST,
    provider_fact: fact,
    ...fields,
  };
}

export function outcomeRow(
  sequence: number,
  status: OutcomeBody['status'],
  operationName: string | null = null,
): OutcomeBody {
  return { type: 'provider.outcome', intent_sequence: sequence, status, code: null, operation_name: operationName };
}
