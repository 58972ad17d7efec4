import type { Step } from '../../core/step.ts';

const WRITTEN = /^[a-z][-_a-z0-9]{0,62}$/;
const MAX = 63;

export type LogicalId =
  | { readonly kind: 'ok'; readonly id: string; readonly isWritten: boolean }
  | { readonly kind: 'invalid'; readonly detail: string; readonly hint: string };

/** What the step is known by in labels and URN: as it is written, else made from the step's address. */
export function logicalIdOf({ logicalId, address }: Step): LogicalId {
  if (logicalId !== null) {
    if (isLogicalId(logicalId)) return { kind: 'ok', id: logicalId, isWritten: true };
    const detail = `logical_id ${JSON.stringify(logicalId.slice(0, 80))} must have 1 to 63 lower-case letters, digits, "-" and "_", and start with a letter.`;
    return { kind: 'invalid', detail, hint: 'logical_id: my-network' };
  }
  const slug = slugOf(address);
  const hint = 'Set logical_id beside input.';
  if (slug === '')
    return { kind: 'invalid', detail: `No logical id can be made of the address ${JSON.stringify(address)}.`, hint };
  if (slug.length > MAX)
    return {
      kind: 'invalid',
      detail: `The logical id made of the address ${JSON.stringify(address)} has ${slug.length} characters; a label holds ${MAX}.`,
      hint,
    };
  return { kind: 'ok', id: slug, isWritten: false };
}

/** Whether a step can say so itself. */
export function isLogicalId(text: string): boolean {
  return WRITTEN.test(text);
}

/** Lower case, each run of anything but letters and digits one hyphen, none at the ends. */
export function slugOf(address: string): string {
  return address
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}
