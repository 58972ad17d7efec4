import { type Code, diagnostic } from '../core/codes.ts';
import { byPlace, type Diagnostic, DiagnosticError, hasErrors, isError } from '../core/diagnostics.ts';
import { type Edges, reversed, topologicalOrder } from '../core/graph.ts';
import type { PlanVerb } from '../core/plan.ts';
import type { ActionSpec, Declaration, InputProblem, ProviderCatalogue } from '../core/resource.ts';
import type { PartialPlaybook, Playbook, Reconcile, Step } from '../core/step.ts';
import type { ValueObject } from '../core/value.ts';
import { heldBy, reconcileOf } from './held.ts';
import { impossibleReferences } from './impossible-references.ts';
import { cycles, duplicateUrns } from './mistakes.ts';
import type { EnginePorts, VerbOptions } from './ports.ts';
import { saidAt } from './said-at.ts';
import { selectSteps, unknownTargets } from './targets.ts';

/** A step that takes part, with all that is known about it before anything is read. */
export interface PreparedStep {
  readonly step: Step;
  readonly catalogue: ProviderCatalogue;
  readonly spec: ActionSpec;
  readonly declaration: Declaration;
  readonly stack: string | null;
  /** Effective; null for reads and deletes. */
  readonly reconcile: Reconcile | null;
  /** Why it is held whatever the cloud says: "dry_run", "reconcile is report". */
  readonly held: string | null;
  /** Direct dependencies that take part, sorted. */
  readonly dependsOn: readonly string[];
  /** What this only comes after, however that ends: no dependency, sorted. */
  readonly after: readonly string[];
  /** Decided by the verb rather than by looking. */
  readonly verdict: IntendedVerdict | null;
}

/** What a verb says about a step without a look at the cloud; of what is not owned, only what a look will mean. */
export type IntendedVerdict =
  /** Not touched: protected, found, or needed by what is. */
  | { readonly kind: 'kept' }
  | { readonly kind: 'blocked'; readonly why: Diagnostic }
  /** The log does not show it as owned: what is there all the same is not ours, which `why` says. `wasOurs`: it did once. */
  | { readonly kind: 'unowned'; readonly why: Diagnostic; readonly wasOurs: boolean }
  /** Ends with the deletion of what it lies in. */
  | { readonly kind: 'within'; readonly container: string };

export interface Prepared {
  readonly verb: PlanVerb | 'exec';
  readonly playbook: Playbook;
  readonly options: VerbOptions;
  readonly target: string;
  /** Stacks of all steps that take part, sorted; `<unscoped>` never stands here. */
  readonly stacks: readonly string[];
  readonly steps: ReadonlyMap<string, PreparedStep>;
  /** Those and the ones that were not selected: what the names of others refer to. */
  readonly declared: ReadonlyMap<string, PreparedStep>;
  /** Addresses that take part, dependencies first, ties by address. */
  readonly order: readonly string[];
  readonly skipped: readonly { readonly step: Step; readonly reason: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Links, checks, orders and selects the steps of a playbook. Offline; throws DiagnosticError with all that is wrong. */
export function prepare(
  ports: Pick<EnginePorts, 'catalogues'>,
  playbook: Playbook,
  options: VerbOptions,
  verb: PlanVerb | 'exec',
): Prepared {
  const runnable = playbook.steps.filter((step) => step.skip === null);
  const { declarations, diagnostics: linked } = linkAll(ports.catalogues, runnable, options, verb);
  const edges = edgesOf(runnable, declarations);
  // A deletion waits for what depends on the resource, so that is what its selection brings along.
  const selection = selectSteps(runnable, declarations, verb === 'destroy' ? reversed(edges) : edges, options);
  const ordering = topologicalOrder(withAfter(edges, declarations));
  const selected = runnable.filter(({ address }) => selection.has(address));
  const duplicates = twice(selected, { declarations, diagnostics: linked }, options, verb);
  const references = impossibleReferences(ports.catalogues, runnable, options, verb);
  const mistakes = [
    ...linked,
    ...references,
    ...cycles(ordering, runnable),
    ...unknownTargets(runnable, declarations, options),
  ];
  if (ordering.kind === 'cycles' || hasErrors(mistakes))
    throw new DiagnosticError(byPlace([...mistakes, ...duplicates]));
  const declared = new Map<string, PreparedStep>();
  for (const step of runnable) {
    const declaration = declarations.get(step.address);
    const catalogue = ports.catalogues.get(step.provider);
    if (declaration === undefined || catalogue === undefined) continue;
    const after = afterOf(edges, declarations, step.address);
    declared.set(
      step.address,
      prepareStep(step, catalogue, declaration, { dependsOn: edges.get(step.address) ?? [], after }, options),
    );
  }
  const steps = new Map([...declared].filter(([address]) => selection.has(address)));
  const problems = [...mistakes, ...duplicates, ...guardProblems(steps)];
  if (hasErrors(problems)) throw new DiagnosticError(problems);
  return {
    verb,
    playbook,
    options,
    target: targetOf(steps, options),
    stacks: [...new Set([...steps.values()].flatMap((item) => (item.stack === null ? [] : [item.stack])))].sort(),
    steps,
    declared,
    order: ordering.order.filter((address) => steps.has(address)),
    skipped: skippedSteps(playbook, runnable, selection),
    diagnostics: problems,
  };
}

export function linkAll(
  catalogues: EnginePorts['catalogues'],
  steps: readonly Step[],
  options: VerbOptions,
  verb: PlanVerb | 'exec',
) {
  const declarations = new Map<string, Declaration>();
  const diagnostics: Diagnostic[] = [];
  for (const [provider, catalogue] of catalogues) {
    const own = steps.filter((step) => step.provider === provider);
    if (own.length === 0) continue;
    const stackOf = (step: Step) => step.stack ?? options.stack;
    const linked = catalogue.link(own, (step) => strictnessOf(step, options, verb), stackOf);
    for (const [address, declaration] of linked.declarations) declarations.set(address, declaration);
    diagnostics.push(...linked.diagnostics);
  }
  return { declarations, diagnostics };
}

/** What is wrong with the steps of a playbook that can't be used for other reasons, so that one run tells all of it. */
export function partialErrors(
  catalogues: EnginePorts['catalogues'],
  { steps, sound }: PartialPlaybook,
  options: VerbOptions,
  verb: PlanVerb | 'exec',
): readonly Diagnostic[] {
  const judged = steps.filter(({ address }) => sound.has(address));
  const linked = linkAll(catalogues, judged, options, verb);
  const edges = withAfter(edgesOf(steps, linked.declarations), linked.declarations);
  return [
    // A step that seems to be missing may be one of those that were left out.
    ...linked.diagnostics.filter((item) => isError(item) && item.code !== 'UNKNOWN_STEP'),
    ...impossibleReferences(catalogues, steps, options, verb).filter(isError),
    ...cycles(topologicalOrder(edges), steps),
    ...twice(judged, linked, options, verb),
  ];
}

/** Under exec the seed's pairs (a dry step, then the step that confirms it) name one resource twice, on purpose. */
function twice(
  steps: readonly Step[],
  { declarations, diagnostics }: ReturnType<typeof linkAll>,
  options: VerbOptions,
  verb: PlanVerb | 'exec',
): readonly Diagnostic[] {
  if (verb === 'exec') return [];
  const broken = new Set(diagnostics.filter(isError).map(({ address }) => address));
  return duplicateUrns(
    steps.flatMap((step) => {
      const declaration = declarations.get(step.address);
      if (declaration === undefined || broken.has(step.address)) return [];
      return [{ step, urn: declaration.urn, held: heldBy(step, declaration.action, options) }];
    }),
  );
}

/** Format rules of the cloud are errors where a real cloud (or the emulator of it) answers, else warnings. */
function strictnessOf(step: Step, options: VerbOptions, verb: PlanVerb | 'exec'): 'error' | 'warning' {
  if (options.emulator) return 'error';
  if (step.endpoint !== null) return 'warning';
  return verb === 'exec' && step.dryRun !== false ? 'warning' : 'error';
}

export function edgesOf(steps: readonly Step[], declarations: ReadonlyMap<string, Declaration>): Edges {
  const known = new Set(steps.map((step) => step.address));
  return new Map(
    steps.map((step) => {
      const needs = new Set([...step.dependsOn, ...(declarations.get(step.address)?.dependsOn ?? [])]);
      return [step.address, [...needs].filter((address) => known.has(address)).sort()];
    }),
  );
}

/** The same with what only comes earlier: in which order steps are taken up. */
export function withAfter(edges: Edges, declarations: ReadonlyMap<string, Declaration>): Edges {
  return new Map([...edges].map(([address, needs]) => [address, [...needs, ...afterOf(edges, declarations, address)]]));
}

/** What a step only comes after, of those that take part. */
export function afterOf(
  edges: Edges,
  declarations: ReadonlyMap<string, Declaration>,
  address: string,
): readonly string[] {
  const needs = edges.get(address) ?? [];
  const after = declarations.get(address)?.after ?? [];
  return after.filter((other) => edges.has(other) && !needs.includes(other)).sort();
}

export function orderOf(edges: Edges, steps: readonly Step[]): readonly string[] {
  const ordering = topologicalOrder(edges);
  if (ordering.kind === 'ordered') return ordering.order;
  throw new DiagnosticError(cycles(ordering, steps));
}

function prepareStep(
  step: Step,
  catalogue: ProviderCatalogue,
  declaration: Declaration,
  order: Pick<PreparedStep, 'dependsOn' | 'after'>,
  options: VerbOptions,
): PreparedStep {
  const spec = declaration.action;
  return {
    step,
    catalogue,
    spec,
    declaration,
    stack: spec.kind === 'read' ? null : (step.stack ?? options.stack),
    reconcile: reconcileOf(step, spec, options),
    held: heldBy(step, spec, options),
    ...order,
    verdict: null,
  };
}

/** The real cloud, the emulator, or the origins of the endpoints that the steps name. */
function targetOf(steps: ReadonlyMap<string, PreparedStep>, options: VerbOptions): string {
  if (options.emulator) return 'emulator';
  const targets = new Set(
    [...steps.values()].flatMap(({ step, catalogue }) =>
      step.endpoint === null || catalogue.backend !== 'rest' ? ['cloud'] : originsOf(step),
    ),
  );
  return targets.size === 0 ? 'cloud' : [...targets].sort().join(' ');
}

function originsOf(step: Step): readonly string[] {
  const urls = [step.endpoint?.crm, step.endpoint?.billing, step.endpoint?.serviceusage];
  return urls.flatMap((url) => (url === null || url === undefined ? [] : [new URL(url).origin]));
}

function guardProblems(steps: ReadonlyMap<string, PreparedStep>): readonly Diagnostic[] {
  return [...steps.values()].flatMap((item) => checkGuardOffline(item, item.declaration.desired));
}

/** The guard's offline pass over what is known of a step's input. */
export function checkGuardOffline(item: PreparedStep, desired: ValueObject): readonly Diagnostic[] {
  if (item.step.guard === null) return [];
  return item.catalogue
    .checkGuard(item.step.guard, item.declaration, desired)
    .map((problem) => inputDiagnostic(item.step, problem));
}

/** Puts a position to a problem of an input. */
export function inputDiagnostic(step: Step, problem: InputProblem, code: Code = problem.code): Diagnostic {
  const source = saidAt(step, ['input', ...problem.path].join('.'));
  return diagnostic(code, problem.detail, { address: step.address, source, hint: problem.hint ?? null });
}

function skippedSteps(playbook: Playbook, runnable: readonly Step[], selection: ReadonlySet<string>) {
  const notSelected = runnable
    .filter((step) => !selection.has(step.address))
    .map((step) => ({ step, reason: 'not selected by --target or --exclude' }));
  const unrunnable = playbook.steps.flatMap((step) => (step.skip === null ? [] : [{ step, reason: step.skip.detail }]));
  return [...notSelected, ...unrunnable].sort((a, b) => a.step.index - b.step.index);
}
