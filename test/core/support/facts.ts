import fc from 'fast-check';
import type { ProviderFact } from '../../../src/core/facts.ts';

export function fact(name: string, fields: Partial<ProviderFact> = {}): ProviderFact {
  return {
    urn: `google:cloudresourcemanager:project:${name}`,
    provider: 'google',
    service: 'cloudresourcemanager',
    resource_type: 'project',
    verb: 'ensure',
    stack: 'prod',
    desired: { project_id: name },
    execution_id: 7,
    outcome: 'changed',
    ...fields,
  };
}

const KINDS = [
  { verb: 'ensure', outcome: 'changed' },
  { verb: 'ensure', outcome: 'noop' },
  { verb: 'ensure', outcome: 'planned' },
  { verb: 'adopt', outcome: 'adopted' },
  { verb: 'delete', outcome: 'deleted' },
  { verb: 'delete', outcome: 'absent' },
] as const;

const optional = fc.record(
  {
    resource_id: fc.constantFrom('projects/1', 'projects/2'),
    origin: fc.constantFrom('created' as const, 'found' as const),
    protect: fc.boolean(),
    credential: fc.constantFrom('admin', 'other'),
    forgotten: fc.constant(true),
    renamed_from: fc.constantFrom(fact('a').urn, fact('b').urn),
  },
  { requiredKeys: [] },
);

/** Facts of few resources and stacks, so that they meet. */
export function facts(): fc.Arbitrary<ProviderFact> {
  return fc
    .tuple(
      fc.constantFrom('a', 'b', 'c'),
      fc.constantFrom(...KINDS),
      fc.constantFrom('prod', 'test'),
      fc.integer({ min: 0, max: 2 }),
      optional,
    )
    .map(([name, kind, stack, desired, fields]) => fact(name, { ...kind, stack, desired, ...fields }));
}
