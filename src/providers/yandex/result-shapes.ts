import type { ResultShape } from '../../core/result-shape.ts';

/** What a step's result has under `resource`: what `resourceOf` makes of a live resource, and nothing else. */
export const RESULT: ResultShape = {
  keys: {
    id: 'value',
    name: 'value',
    kind: 'value',
    status: 'value',
    zone_id: 'value',
    labels: 'any',
    public_addresses: { items: 'value' },
  },
};

export const LIST_RESULT: ResultShape = { keys: { resources: { items: RESULT } } };
