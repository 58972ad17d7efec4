import type { ResultShape } from '../../core/result-shape.ts';

/** What the APIs document of each resource (gcp-rest 2); what others fill with keys of their own stays open. */

const named = { name: 'value', state: 'value', etag: 'value' } as const;
const times = { createTime: 'value', updateTime: 'value', deleteTime: 'value' } as const;
const preview = { tags: 'any', configuredCapabilities: 'any' } as const;

export const ORGANIZATION: ResultShape = {
  keys: { ...named, displayName: 'value', directoryCustomerId: 'value', ...times },
};

export const FOLDER: ResultShape = {
  keys: { ...named, parent: 'value', displayName: 'value', ...times, ...preview, managementProject: 'value' },
};

export const PROJECT: ResultShape = {
  keys: {
    ...named,
    projectId: 'value',
    parent: 'value',
    displayName: 'value',
    labels: 'any',
    ...times,
    ...preview,
  },
};

export const BILLING_INFO: ResultShape = {
  keys: { name: 'value', projectId: 'value', billingAccountName: 'value', billingEnabled: 'value' },
};

export const SERVICE: ResultShape = { keys: { name: 'value', parent: 'value', config: 'any', state: 'value' } };

export const POLICY: ResultShape = {
  keys: { version: 'value', etag: 'value', bindings: { items: 'any' }, auditConfigs: { items: 'any' } },
};

/** A grant is ours to word: no API has a resource for it. */
export const GRANT: ResultShape = { keys: { resource: 'value', role: 'value', member: 'value', condition: 'any' } };

/** All pages of a list, under the member that the API has them in. */
export function listOf(member: string, items: ResultShape): ResultShape {
  return { keys: { [member]: { items } } };
}
