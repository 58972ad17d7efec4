import type { Playbook, Step } from '../core/step.ts';
import { isUnknown, type Value } from '../core/value.ts';
import type { EmulatorSeed } from '../emulator/google/options.ts';

const ORGANIZATION = /^organizations\/(\d{1,25})$/;
const BILLING_ACCOUNT = /^(?:billingAccounts\/)?([0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6})$/;
const DEFAULT_DISPLAY_NAME = 'emulator.example';

/** What has to be there before anything: the organisations and billing accounts that the playbook speaks of, and nothing else. */
export function seedOf(playbook: Playbook): EmulatorSeed {
  const organizations = new Map<string, string>();
  const accounts = new Set<string>();
  for (const step of playbook.steps) {
    const name = step.guard?.requireOrgDisplayName ?? null;
    for (const text of textsOf(step)) {
      const id = ORGANIZATION.exec(text)?.[1];
      if (id !== undefined && (name !== null || !organizations.has(id)))
        organizations.set(id, name ?? DEFAULT_DISPLAY_NAME);
      const account = BILLING_ACCOUNT.exec(text)?.[1];
      if (account !== undefined) accounts.add(account);
    }
  }
  const [first] = organizations.keys();
  return {
    organizations: [...organizations].map(([id, displayName]) => ({ id, displayName })),
    billingAccounts: [...accounts].map((id) => ({
      id,
      open: true,
      ...(first === undefined ? {} : { parent: `organizations/${first}` }),
    })),
  };
}

function textsOf(step: Step): readonly string[] {
  const { requireOrg, requireBillingAccount } = step.guard ?? { requireOrg: null, requireBillingAccount: null };
  const pinned = [requireOrg === null ? null : `organizations/${requireOrg}`, requireBillingAccount];
  return [...pinned.filter((text): text is string => text !== null), ...strings(step.input)];
}

function strings(value: Value): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || isUnknown(value)) return [];
  return Object.values(value).flatMap((item: Value) => strings(item));
}
