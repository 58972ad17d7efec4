import type { JsonObject } from '../../core/json.ts';
import type { FieldRule, InputProblem } from '../../core/resource.ts';
import type { ValueObject } from '../../core/value.ts';
import type { InputField } from './inputs.ts';

/** As a sentence says it: `addresses`, `security groups`. */
export function pluralOf(kind: string): string {
  const words = kind.replaceAll('_', ' ');
  return words.endsWith('s') ? `${words}es` : `${words}s`;
}

/** `an address`, `a disk`. */
export function oneOf(kind: string): string {
  const words = kind.replaceAll('_', ' ');
  return /^[aeiou]/.test(words) ? `an ${words}` : `a ${words}`;
}

export type KindName = 'instance' | 'disk' | 'network' | 'subnet' | 'address' | 'security_group';

/**
 * What keeps a field that differs from being changed in place: the machine must be stopped; it takes another resource;
 * its network interface must be changed; it can only grow.
 */
export type Hindrance = 'stop' | 'replacement' | 'interface' | 'shrink';

export type Labels = Readonly<Record<string, string>>;

/** A rule of a security group as the cloud shows it: its own id, and what it says in the playbook's words. */
export interface LiveRule {
  readonly id: string;
  readonly content: JsonObject;
}

/** `isUse`: that something uses it, which the list of what does says better. */
export interface Obstacle {
  readonly detail: string;
  readonly isUse: boolean;
}

/** One resource as a command showed it, checked: nothing of the vendor's JSON goes further than this. */
export interface Live {
  readonly kind: KindName;
  readonly id: string;
  readonly name: string;
  /** The vendor's word, or UNKNOWN. */
  readonly status: string;
  readonly zoneId: string | null;
  readonly labels: Labels;
  readonly publicAddresses: readonly string[];
  /** Managed fields in desired's key space, without labels. */
  readonly fields: JsonObject;
  /** Ids of other resources that must be there for this one to be. */
  readonly uses: readonly string[];
  readonly rules: readonly LiveRule[];
  /** What the cloud made by itself together with another resource, and takes away with it. */
  readonly isBuiltIn: boolean;
  /** What it has that no input of its kind says, each as a sentence. */
  readonly undeclared: readonly string[];
  /** What stands in the way of a deletion, as the resource itself shows it; null: nothing. */
  readonly deletionObstacle: Obstacle | null;
}

/** An input that names a step, and the field that gets the id of what the step makes. */
export interface Dependency {
  readonly input: string;
  readonly kind: KindName;
  readonly field: string;
}

/** What a create takes beside the desired fields. */
export interface CreateExtras {
  /** The value of the static address. */
  readonly natAddress: string;
  /** A private copy of the user data; null: none. */
  readonly userDataPath: string | null;
}

/** One kind of resource: a declaration plus pure functions; the provider runs the commands, the engine diffs. */
export interface KindDefinition {
  readonly kind: KindName;
  readonly service: 'vpc' | 'compute';
  /** The command's word: `security-group`. */
  readonly command: string;
  /** Without the dependencies. */
  readonly input: readonly InputField[];
  readonly dependencies: readonly Dependency[];
  /** Input that is no field of the resource. */
  readonly options: readonly string[];
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Inputs that are given together or not at all. */
  readonly together: readonly (readonly [string, string])[];
  /** What only several inputs together show. */
  readonly check: (values: ValueObject) => readonly InputProblem[];
  /** Flags of `create` between the name and the labels. */
  readonly createFlags: (desired: JsonObject, extras: CreateExtras) => readonly string[];
  /** Flags of `update` for those fields that are to change. */
  readonly updateFlags: (changed: JsonObject) => readonly string[];
  /** Whether there is an `add-labels`; without one the whole map is sent. */
  readonly addsLabels: boolean;
  /** Statuses in which another resource may be built on it; null: it has none. */
  readonly ready: readonly string[] | null;
  /** Kinds that can depend on it. */
  readonly dependants: readonly KindName[];
  /** Whether they lie in it, for good, rather than use it. */
  readonly isContainer: boolean;
  /** What keeps each field that is not simply changed in place from being so. */
  readonly hindrances: Readonly<Record<string, Hindrance>>;
  /** Fields that no answer shows. */
  readonly hidden: readonly string[];
  /** One object of an answer; null where it has not the shape that it must have. */
  readonly parse: (row: unknown) => { readonly folderId: string; readonly live: Live } | null;
}

/** What most kinds have in common, to be overridden. */
export const COMMON = {
  dependencies: [],
  options: [],
  together: [],
  check: (): readonly InputProblem[] => [],
  addsLabels: true,
  ready: null,
  dependants: [],
  isContainer: false,
  hindrances: {},
  hidden: [],
} as const;

export function text(values: JsonObject, key: string): string {
  const value = values[key];
  return value === undefined || value === null ? '' : String(value);
}

/** `--flag value` where there is one to give. */
export function flag(name: string, values: JsonObject, key: string): readonly string[] {
  return values[key] === undefined || values[key] === null ? [] : [name, text(values, key)];
}

/** The flags that every kind's update has. */
export function renameFlags(changed: JsonObject): readonly string[] {
  return [...flag('--new-name', changed, 'name'), ...flag('--description', changed, 'description')];
}
