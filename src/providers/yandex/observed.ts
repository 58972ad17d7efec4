import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import { type ProviderResource, UNKNOWN_STATUS } from '../../core/inventory.ts';
import { type JsonObject, jsonEquals } from '../../core/json.ts';
import type { Declaration, PresentObservation } from '../../core/resource.ts';
import { isKnown, type Value, type ValueObject } from '../../core/value.ts';
import type { KindDefinition, Live } from './define-kind.ts';
import { isMap } from './inputs.ts';
import { managedLabels, SPEC_LABEL } from './ownership.ts';
import { specDigest } from './spec-digest.ts';

/** The provider's id in references and inventories. */
export const PROVIDER_ID = 'yandex-cloud';

/** The normalised resource: what a step's result holds, and nothing of the vendor's JSON beside it. */
export function resourceOf(live: Live): JsonObject {
  return {
    id: live.id,
    name: live.name,
    kind: live.kind,
    status: live.status,
    zone_id: live.zoneId,
    labels: live.labels,
    public_addresses: live.publicAddresses,
  };
}

export function providerResource(live: Live, folderId: string): ProviderResource {
  return {
    provider_id: PROVIDER_ID,
    scope_id: folderId,
    kind: live.kind,
    id: live.id,
    name: live.name,
    status: live.status,
    zone_id: live.zoneId,
    labels: live.labels,
    public_addresses: live.publicAddresses,
  };
}

/** A live resource held against a declaration. */
export interface Comparison {
  /** Managed fields in desired's key space. */
  readonly actual: JsonObject;
  readonly warnings: readonly Diagnostic[];
}

/** Fields as they are; `more` are those that other resources tell. */
export function compare(
  definition: KindDefinition,
  live: Live,
  declaration: Declaration,
  desired: ValueObject,
  more: JsonObject,
): Comparison {
  const fields: JsonObject = { ...live.fields, ...more };
  const labels = managedLabels(live.labels);
  const hidden = hiddenState(definition, live, declaration, desired, fields);
  const spec = labelAt(desired, SPEC_LABEL);
  const isKept = (hidden === 'changed' || hidden === 'unsaid') && spec !== null;
  return {
    // What was made with other hidden inputs keeps the digest of those: the warning must outlive this plan.
    actual: { ...fields, labels: isKept ? { ...labels, [SPEC_LABEL]: spec } : labels },
    warnings: [...hiddenWarnings(hidden), ...stateWarnings(live)],
  };
}

type HiddenState = 'as declared' | 'changed' | 'assumed' | 'unsaid';

/**
 * Whether inputs that no answer shows are those that the resource was made with. The digest in its label is that of
 * the spec it was last brought to: if the visible part as it is and the hidden part as declared have that digest, the
 * hidden part is the same. A step that says none of them (of what is there, by its id) can't know that digest, and has
 * nothing against it while all that it says is as it is.
 */
function hiddenState(
  definition: KindDefinition,
  live: Live,
  { options }: Declaration,
  desired: ValueObject,
  fields: JsonObject,
): HiddenState {
  const [recorded, wanted] = [live.labels[SPEC_LABEL], labelAt(desired, SPEC_LABEL)];
  if (!definition.hidden.some((key) => desired[key] !== undefined))
    return definition.hidden.length > 0 && recorded !== undefined && isAsShown(desired, fields)
      ? 'unsaid'
      : 'as declared';
  if (recorded === undefined) return 'assumed';
  if (wanted === null || wanted === recorded) return 'as declared';
  const shown = Object.entries(desired).map(([key, value]) => [key, fields[key] ?? value] as const);
  const logicalIds = isMap(options['dependencies']) ? options['dependencies'] : {};
  const same = Object.entries(logicalIds).filter(([key]) => jsonEquals(desired[key], fields[key]));
  const digestOf = (entries: readonly (readonly [string, Value])[]) =>
    specDigest(definition, Object.fromEntries(entries), Object.fromEntries(same));
  if (digestOf(shown) === recorded) return 'as declared';
  // Its labels were made by a step that said none of them.
  return digestOf(shown.filter(([key]) => !definition.hidden.includes(key))) === recorded ? 'assumed' : 'changed';
}

function isAsShown(desired: ValueObject, fields: JsonObject): boolean {
  return Object.entries(desired).every(
    ([key, value]) => key === 'labels' || (isKnown(value) && jsonEquals(value, fields[key] ?? null)),
  );
}

function labelAt({ labels }: ValueObject, key: string): string | null {
  const value = isMap(labels) ? labels[key] : undefined;
  return typeof value === 'string' ? value : null;
}

function warning(detail: string): Diagnostic {
  return diagnostic('UNSUPPORTED', detail, { severity: 'warning' });
}

function hiddenWarnings(state: HiddenState): readonly Diagnostic[] {
  if (state === 'changed')
    return [
      warning(
        'The SSH key, its user or the user data are not those that this machine was made with. They take effect on a new machine only; this one is not changed.',
      ),
    ];
  if (state === 'assumed')
    return [
      warning('The SSH key and the user data of this machine are not shown by yc, and are taken to be as declared.'),
    ];
  return [];
}

const BROKEN = ['ERROR', 'CRASHED', 'STOPPED', 'STOPPING'];

function stateWarnings({ status }: Live): readonly Diagnostic[] {
  return BROKEN.includes(status) ? [warning(`Its status is ${status}.`)] : [];
}

export function presentOf(
  live: Live,
  { actual, warnings }: Comparison,
  blockers: readonly Diagnostic[],
): PresentObservation {
  return {
    kind: 'present',
    id: live.id,
    actual,
    etag: null,
    state: live.status === UNKNOWN_STATUS ? null : live.status,
    purgeTime: null,
    resource: resourceOf(live),
    warnings,
    blockers,
  };
}
