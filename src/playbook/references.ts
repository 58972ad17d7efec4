import { nearest } from '../core/nearest.ts';
import type { Reference } from '../core/value.ts';
import { TemplateError } from './expression.ts';
import type { Segment } from './own-path.ts';
import { formatPath } from './reference-path.ts';

/** Names that templates use for something else. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(['workload', 'iter', 'env', 'steps', 'execution_id']);
const ALIAS_KEYS: ReadonlySet<Segment> = new Set<Segment>(['data', 'result']);
const SHOWN_KEYS = 8;

/** What a step name leads to. */
export interface StepEntry {
  /** Why there will never be a result; null: there is one. */
  readonly noResult: string | null;
  /** Loop keys with the services below each; null: not a loop. */
  readonly keys: ReadonlyMap<string, readonly string[] | null> | null;
  /** Services of a step that is not a loop. */
  readonly services: readonly string[] | null;
}

/** Every step of the playbook with its instances; turns written paths into exact references. */
export class StepIndex {
  readonly #entries = new Map<string, StepEntry>();

  set(name: string, entry: StepEntry): void {
    this.#entries.set(name, entry);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Whether a path that starts with this name is about results. */
  isResult(name: string): boolean {
    return name === 'steps' || this.#entries.has(name);
  }

  /** Throws TemplateError where no step's result is meant. */
  resolve(root: string, path: readonly Segment[]): Reference {
    const short = root !== 'steps';
    const [name, rest] = short ? [root, path] : [path[0], path.slice(1)];
    if (name === undefined)
      throw new TemplateError('TEMPLATE_INVALID', '`steps` alone is no value.', 'write steps.<step>.<path>');
    const entry = this.#entryOf(String(name));
    const { address, below } = instance(String(name), entry, rest);
    if (!short) return { address, path: formatPath(below) };
    if (below[0] !== undefined && ALIAS_KEYS.has(below[0])) return { address, path: formatPath(below.slice(1)) };
    const hint = `write steps.${String(name)}.${formatPath(below) || '<path>'}`;
    throw new TemplateError(
      'TEMPLATE_UNDEFINED',
      `"${String(name)}" is a step; its result is \`steps.${String(name)}\` or \`${String(name)}.data\`.`,
      hint,
    );
  }

  #entryOf(name: string): StepEntry {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw unknownStep(name, this.#entries.keys());
    if (entry.noResult !== null)
      throw new TemplateError('UNKNOWN_STEP', `The step "${name}" has no result here: ${entry.noResult}.`);
    return entry;
  }
}

export function unknownStep(name: string, known: Iterable<string>): TemplateError {
  const near = nearest(name, known);
  return new TemplateError(
    'UNKNOWN_STEP',
    `There is no step "${name}".`,
    near === null ? null : `did you mean "${near}"?`,
  );
}

function instance(
  name: string,
  entry: StepEntry,
  path: readonly Segment[],
): { address: string; below: readonly Segment[] } {
  if (entry.keys === null) return service(name, entry.services, path);
  const [segment, ...below] = path;
  const services = segment === undefined ? undefined : entry.keys.get(String(segment));
  if (services === undefined) throw wrongKey(name, 'loop', segment, [...entry.keys.keys()]);
  return service(`${name}[${String(segment)}]`, services, below);
}

function service(
  address: string,
  services: readonly string[] | null,
  path: readonly Segment[],
): { address: string; below: readonly Segment[] } {
  if (services === null) return { address, below: path };
  const [segment, ...below] = path;
  if (segment === undefined || !services.includes(String(segment)))
    throw wrongKey(address, 'list of services', segment, services);
  return { address: `${address}[${String(segment)}]`, below };
}

function wrongKey(name: string, what: string, segment: Segment | undefined, keys: readonly string[]): TemplateError {
  const near = segment === undefined ? null : nearest(String(segment), keys);
  const shown = keys
    .slice(0, SHOWN_KEYS)
    .map((key) => `'${key}'`)
    .join(', ');
  const list = keys.length > SHOWN_KEYS ? `${shown}, ... (${keys.length})` : shown;
  const detail =
    segment === undefined
      ? `"${name}" is a ${what}: say which one.`
      : `"${name}" is a ${what} without ${JSON.stringify(segment)}.`;
  return new TemplateError(
    'UNKNOWN_STEP',
    detail,
    near === null ? `keys: ${list || 'none'}` : `did you mean '${near}'?`,
  );
}

export function instanceAddress(name: string, key: string | null, service: string | null): string {
  return `${name}${key === null ? '' : `[${key}]`}${service === null ? '' : `[${service}]`}`;
}
