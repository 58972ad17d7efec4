import type { SourcePosition } from '../../../src/core/diagnostics.ts';
import {
  type AuthSpec,
  DEFAULT_POLL,
  type GuardSpec,
  NO_GUARD,
  type Playbook,
  type Step,
} from '../../../src/core/step.ts';
import {
  deferred,
  type Reference,
  referencesIn,
  unknownOf,
  type Value,
  type ValueObject,
} from '../../../src/core/value.ts';
import { PROVIDER } from './actions.ts';

export const AUTH: AuthSpec = { type: 'mem', credential: null, scopes: [], token: null, tokenEnv: null };
export const BROKEN_AUTH: AuthSpec = { ...AUTH, type: 'broken' };

export const ORG_GUARD: GuardSpec = { ...NO_GUARD, requireOrg: '1' };

/** What a test says about a step beside its input. */
export type StepOverrides = Partial<Omit<Step, 'name' | 'index' | 'action'>>;

export type StepMaker = (index: number, file: string) => Step;

/** A step as the loader would hand it over: enforced, with auth, in line 10 + its index of the file. */
export function stepOf(name: string, action: string, input: ValueObject, overrides: StepOverrides = {}): StepMaker {
  return (index, file) => {
    const source: SourcePosition = { file, line: 10 + index, column: 5 };
    const written = overrides.dependsOn ?? [];
    const referred = referencesIn(input).map((ref) => ref.address);
    return {
      address: name,
      name: name.replace(/\[.*$/, ''),
      index,
      desc: null,
      source,
      positions: new Map(),
      skip: null,
      provider: PROVIDER,
      action,
      input,
      stack: null,
      reconcile: 'enforce',
      dryRun: null,
      auth: AUTH,
      guard: null,
      endpoint: null,
      poll: DEFAULT_POLL,
      timeoutMs: null,
      protect: null,
      confirm: null,
      knownDesired: null,
      settings: null,
      identity: null,
      logicalId: null,
      resourceId: null,
      ...overrides,
      dependsOn: [...new Set([...written, ...referred])],
    };
  };
}

export function playbookOf(makers: readonly StepMaker[], path = 'org.yaml'): Playbook {
  return {
    path,
    name: 'org',
    sha256: 'f'.repeat(64),
    steps: makers.map((make, index) => make(index, path)),
    scope: { workload: {}, env: {} },
  };
}

/** Ensures a box; it lies under organizations/1 unless the input says otherwise. */
export function box(name: string, input: ValueObject = {}, overrides: StepOverrides = {}): StepMaker {
  return stepOf(name, 'mem.store.boxes.ensure', { name, parent: 'organizations/1', ...input }, overrides);
}

export function shelf(name: string, input: ValueObject = {}, overrides: StepOverrides = {}): StepMaker {
  return stepOf(name, 'mem.store.shelves.ensure', { parent: 'organizations/1', title: name, ...input }, overrides);
}

export function grant(name: string, input: ValueObject, overrides: StepOverrides = {}): StepMaker {
  return stepOf(name, 'mem.store.grants.ensure', { role: 'reader', member: 'user:a', ...input }, overrides);
}

/** Deletes the box `name`; the step is called `drop_<name>`. */
export function dropBox(name: string, overrides: StepOverrides = {}): StepMaker {
  return stepOf(`drop_${name}`, 'mem.store.boxes.delete', { name }, overrides);
}

export function dropGrant(name: string, input: ValueObject, overrides: StepOverrides = {}): StepMaker {
  return stepOf(name, 'mem.store.grants.delete', { role: 'reader', member: 'user:a', ...input }, overrides);
}

export function readBox(step: string, name: string, overrides: StepOverrides = {}): StepMaker {
  return stepOf(step, 'mem.store.boxes.describe', { name }, overrides);
}

/** `{{ steps.<address>.<path> }}` standing alone. */
export function ref(address: string, path: string): Value {
  return unknownOf([{ address, path }]);
}

/** Text with references in it. */
export function textWith(...parts: readonly (string | Reference)[]): Value {
  return unknownOf(parts);
}

/** A template that only the evaluator can work out. */
export function template(text: string, refs: readonly Reference[]): Value {
  return deferred({ text, iter: {}, addresses: refs.map((item) => item.address) }, refs);
}

export function boxUrn(name: string): string {
  return `mem:store:box:${name}`;
}

export function grantUrn(boxName: string, role = 'reader', member = 'user:a'): string {
  return `mem:store:grant:${boxName}/${role}/${member}`;
}
