import fc from 'fast-check';
import type { ProviderFact } from '../../../src/core/facts.ts';
import type { OwnershipModel } from '../../../src/core/fold.ts';
import { DIGEST, factOf } from './facts.ts';

/** A model without the order in which its maps were filled, but for that of the words about protection. */
export function plain(model: OwnershipModel) {
  return {
    owned: Object.fromEntries(model.owned),
    tombstones: Object.fromEntries(model.tombstones),
    protection: Object.fromEntries(model.protection),
    newestLast: [...model.protection.keys()],
  };
}

const kinds = [
  ['ensure', 'changed'],
  ['ensure', 'noop'],
  ['ensure', 'planned'],
  ['adopt', 'adopted'],
  ['adopt', 'planned'],
  ['delete', 'deleted'],
  ['delete', 'absent'],
] as const;

/** Facts about few resources, so that they meet. */
export const facts: fc.Arbitrary<ProviderFact> = fc
  .record(
    {
      project: fc.constantFrom('a', 'b', 'c', 'ü', 'quo"te', 'back\\slash'),
      kind: fc.constantFrom(...kinds),
      stack: fc.constantFrom('prod', 'test', 'Größe'),
      desired: fc.jsonValue({ maxDepth: 2 }),
      execution_id: fc.constantFrom<number | string>(1, 2 ** 50, '9223372036854775807'),
      resource_id: fc.constantFrom('projects/1', 'projects/2'),
      origin: fc.constantFrom('created' as const, 'adopted' as const, 'found' as const),
      protect: fc.boolean(),
      credential: fc.constantFrom('admin', 'other'),
      forgotten: fc.constant(true),
      renamed_from: fc.constantFrom(factOf('a').urn, factOf('b').urn),
      digest: fc.constantFrom(DIGEST, 'e'.repeat(64)),
      step: fc.constantFrom('ensure_a', 'ensure_b[k]'),
    },
    { requiredKeys: ['project', 'kind', 'stack', 'desired', 'execution_id'] },
  )
  .map(({ project, kind: [verb, outcome], ...fields }) =>
    factOf(project, JSON.parse(JSON.stringify({ ...fields, verb, outcome })) as Partial<ProviderFact>),
  );
