import type { Declaration, InputProblem } from '../../core/resource.ts';
import type { GuardSpec } from '../../core/step.ts';
import type { Value, ValueObject } from '../../core/value.ts';
import { isMap } from './inputs.ts';

interface NamedPlace {
  /** The input that names it. */
  readonly key: string;
  /** `organizations/1`, `billingAccounts/X`. */
  readonly name: string;
}

const PINNABLE = '(?:organizations|billingAccounts)/[^/:\\s]+';

/** Every place that a declaration names, wherever it stands in it. */
function placesIn(values: ValueObject, pattern: RegExp): readonly NamedPlace[] {
  return Object.entries(values).flatMap(([key, value]): readonly NamedPlace[] => {
    if (isMap(value)) return placesIn(value, pattern).map(({ name }) => ({ key, name }));
    return placeNames(value, pattern).map((name) => ({ key, name }));
  });
}

function placeNames(value: Value, pattern: RegExp): readonly string[] {
  return typeof value === 'string' ? [...new Set(value.match(pattern) ?? [])] : [];
}

/** The pass that needs no network: another organisation or billing account than the pinned one is refused wherever it stands. */
export function checkGuardOffline(
  guard: GuardSpec,
  declaration: Declaration,
  desired: ValueObject,
): readonly InputProblem[] {
  const pinned: Readonly<Record<string, string | null>> = {
    organizations: guard.requireOrg,
    billingAccounts: guard.requireBillingAccount,
  };
  const { role = null, member = null } = desired;
  const named = [
    ...placesIn({ ...declaration.options, ...places(desired) }, new RegExp(`^${PINNABLE}`, 'g')),
    // A role of one's own belongs to an organisation, and a set of principals may be all of one.
    ...placesIn({ role, member }, new RegExp(PINNABLE, 'g')),
  ];
  return named.flatMap(({ key, name }): readonly InputProblem[] => {
    const [collection = ''] = name.split('/');
    const wanted = pinned[collection] ?? null;
    if (wanted === null || name === `${collection}/${wanted}`) return [];
    return [
      {
        path: [key],
        code: 'GUARD',
        detail: `It refers to ${name}, but the guard pins ${collection}/${wanted}.`,
        hint: 'Mend the input, or run it under the guard that it is meant for.',
      },
    ];
  });
}

/** Desired values that name places; free text (names, labels, conditions) is not looked into. */
function places({ parent, resource, organization, billing_account }: ValueObject): ValueObject {
  return Object.fromEntries(
    Object.entries({ parent, resource, organization, billing_account }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    ),
  );
}
