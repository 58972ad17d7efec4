import type { Playbook, Step } from '../core/step.ts';
import { isUnknown, type Value } from '../core/value.ts';
import type { EmulatorSeed } from '../emulator/google/options.ts';
import type { FakeYcSeed } from '../emulator/yc/options.ts';

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

/** The folders, and images in them, that the playbook speaks of; machines and networks are made by it. */
export function ycSeedOf(playbook: Playbook): FakeYcSeed {
  const folders = new Map<string, string | null>();
  const images = new Set<string>();
  for (const { provider, settings, guard, input } of playbook.steps) {
    const folder = provider === 'yandex' ? settings?.['folder_id'] : undefined;
    if (typeof folder === 'string') folders.set(folder, guard?.requireCloudId ?? folders.get(folder) ?? null);
    const image = input['image_id'];
    if (provider === 'yandex' && typeof image === 'string') images.add(image);
  }
  return {
    folders: [...folders].map(([id, cloudId]) => ({ id, ...(cloudId === null ? {} : { cloudId }) })),
    images: [...images].map((id) => ({ id })),
  };
}
