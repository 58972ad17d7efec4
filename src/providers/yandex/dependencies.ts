import type { Diagnostic } from '../../core/diagnostics.ts';
import { didYouMean } from '../../core/nearest.ts';
import { overlaps, parseCidr } from './cidr.ts';
import { type Dependency, oneOf } from './define-kind.ts';
import { type Draft, linkDiagnostic } from './drafts.ts';
import { textAt } from './inputs.ts';

/** The drafts that a draft's typed dependencies lead to, by the field that gets their id. */
export type Bound = ReadonlyMap<string, Draft>;

export interface Binding {
  readonly bound: ReadonlyMap<Draft, Bound>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Ties typed dependencies to the steps that they name. `addresses` are those of all steps, usable or not. */
export function bindDependencies(drafts: readonly Draft[], addresses: readonly string[]): Binding {
  const index = new Map(drafts.map((draft) => [draft.step.address, draft]));
  const known = new Set(addresses);
  const bound = new Map<Draft, Bound>();
  const diagnostics: Diagnostic[] = [];
  for (const draft of drafts) {
    const own = new Map<string, Draft>();
    for (const dependency of typed(draft)) {
      const name = textAt(draft.values, dependency.input);
      const target = index.get(name);
      const found =
        target === undefined ? unknown(draft, dependency, name, known) : mismatch(draft, dependency, target);
      if (found !== null) diagnostics.push(found);
      else if (target !== undefined) own.set(dependency.field, target);
    }
    bound.set(draft, own);
  }
  return { bound, diagnostics };
}

function typed({ action }: Draft): readonly Dependency[] {
  return action.verb === 'ensure' ? (action.definition?.dependencies ?? []) : [];
}

/** Null where the step is there and only its own mistakes keep it from being used. */
function unknown(
  { step }: Draft,
  { input, kind }: Dependency,
  name: string,
  known: ReadonlySet<string>,
): Diagnostic | null {
  if (known.has(name)) return null;
  const instances = [...known].filter((address) => address.startsWith(`${name}[`));
  const hint = instances.length > 0 ? `Say which one: ${instances.slice(0, 8).join(', ')}.` : didYouMean(name, known);
  const detail = `${input} must name the step that ensures the ${kind}; there is no step ${JSON.stringify(name.slice(0, 80))} of this provider.`;
  return linkDiagnostic(step, 'UNKNOWN_STEP', detail, ['input', input], hint);
}

function mismatch({ step, owner }: Draft, { input, kind }: Dependency, target: Draft): Diagnostic | null {
  const { spec } = target.action;
  const say = (detail: string) => linkDiagnostic(step, 'INVALID_VALUE', detail, ['input', input]);
  if (target.action.verb !== 'ensure' || spec.resourceType !== kind)
    return say(`${input} must name a step that ensures ${oneOf(kind)}; ${target.step.address} is ${spec.name}.`);
  const other = target.owner;
  if (owner === null || other === null) return null;
  const differing = (['folderId', 'project', 'stack', 'owner'] as const).find((key) => owner[key] !== other[key]);
  if (differing === undefined) return null;
  const words = { folderId: 'folder', project: 'project', stack: 'stack', owner: 'owner' };
  return say(`${target.step.address} is of another ${words[differing]}: ${other[differing]}, not ${owner[differing]}.`);
}

/** What only the bound steps together show: zones and networks that don't fit, subnets that overlap. */
export function checkTogether(drafts: readonly Draft[], binding: Binding): readonly Diagnostic[] {
  return [...drafts.flatMap((draft) => checkFit(draft, binding)), ...overlapping(drafts, binding)];
}

function checkFit(draft: Draft, { bound }: Binding): readonly Diagnostic[] {
  const own = bound.get(draft);
  if (draft.action.spec.resourceType !== 'instance' || own === undefined) return [];
  const zone = textAt(draft.values, 'zone_id');
  const found: Diagnostic[] = [];
  for (const [field, target] of own) {
    const other = textAt(target.values, 'zone_id');
    if (zone === '' || other === '' || other === zone) continue;
    const input = typed(draft).find((item) => item.field === field)?.input ?? field;
    const detail = `The machine is in ${zone}, but ${target.step.address} is in ${other}.`;
    found.push(linkDiagnostic(draft.step, 'INVALID_VALUE', detail, ['input', input]));
  }
  const [subnet, group] = ['subnet_id', 'security_group_id'].map((field) => own.get(field));
  const networks = [subnet, group].map((item) => (item === undefined ? undefined : bound.get(item)?.get('network_id')));
  const [one, other] = networks;
  if (one === undefined || other === undefined || one === other) return found;
  const detail = `${subnet?.step.address} is in the network ${one.step.address}, but ${group?.step.address} is in ${other.step.address}.`;
  return [...found, linkDiagnostic(draft.step, 'INVALID_VALUE', detail, ['input', 'security_group_dependency'])];
}

/** Subnets of one network, in the order of their first addresses: each is held against the one that reaches furthest. */
function overlapping(drafts: readonly Draft[], { bound }: Binding): readonly Diagnostic[] {
  const byNetwork = new Map<Draft, { readonly draft: Draft; readonly text: string }[]>();
  for (const draft of drafts) {
    const network = bound.get(draft)?.get('network_id');
    const text = textAt(draft.values, 'ipv4_cidr');
    if (network === undefined || text === '') continue;
    const list = byNetwork.get(network) ?? [];
    byNetwork.set(network, [...list, { draft, text }]);
  }
  return [...byNetwork].flatMap(([network, subnets]) => overlapsIn(network, subnets));
}

function overlapsIn(network: Draft, subnets: readonly { readonly draft: Draft; readonly text: string }[]) {
  const parsed = subnets.flatMap(({ draft, text }) => {
    const cidr = parseCidr(text);
    return cidr === null ? [] : [{ draft, text, cidr }];
  });
  parsed.sort((a, b) => a.cidr.first - b.cidr.first || a.cidr.prefix - b.cidr.prefix);
  const found: Diagnostic[] = [];
  let widest = parsed[0];
  for (const item of parsed.slice(1)) {
    if (widest !== undefined && overlaps(widest.cidr, item.cidr)) {
      const detail = `${item.text} overlaps ${widest.text} of ${widest.draft.step.address}; both are in the network ${network.step.address}.`;
      found.push(linkDiagnostic(item.draft.step, 'INVALID_VALUE', detail, ['input', 'ipv4_cidr']));
    } else widest = item;
  }
  return found;
}
