import type { Diagnostic } from '../core/diagnostics.ts';
import { type JsonObject, sha256Hex } from '../core/json.ts';
import { type GuardSpec, NO_GUARD, type PartialPlaybook, type Playbook, type Skip, type Step } from '../core/step.ts';
import type { Catalogues } from './actions.ts';
import { Budget } from './budget.ts';
import { StepBuilder, skippedStep } from './build.ts';
import { type Envelope, readEnvelope } from './envelope.ts';
import { decodeText } from './files.ts';
import { Findings } from './findings.ts';
import { callerLevel, type GuardLevel, readGuard } from './guard.ts';
import { InlineTokens, type TokenOf } from './inline-tokens.ts';
import { addressesOf, type BuildContext, expandSteps, type Instance } from './instances.ts';
import { checkDependencies, MAX_EDGES, Order } from './order.ts';
import { StepIndex } from './references.ts';
import { checkTargets, type RouteSeverity, reachable } from './routes.ts';
import { type ExpressionParser, ParserNeeded, TemplateCompiler } from './templates.ts';
import { checkDefaultsKeys, mergeDefaults } from './tool-keys.ts';
import { child, type MapNode, type TreeNode } from './tree.ts';
import { readWorkflow, type WrittenStep } from './workflow.ts';
import { readWorkload } from './workload.ts';
import { readYaml } from './yaml-text.ts';

/** What infra.yaml gives to every playbook beside it. */
export interface ProjectDefaults {
  readonly defaults: MapNode | null;
  readonly guard: GuardLevel | null;
}

export interface LoadRequest {
  /** As given on the command line; positions carry it. */
  readonly path: string;
  readonly text: string | Uint8Array;
  readonly catalogues: Catalogues;
  /** Raw `a.b=yaml`. */
  readonly sets: readonly string[];
  readonly workloadFile: { readonly path: string; readonly text: string } | null;
  /** What `workload.action` is unless the caller says otherwise; null (exec): the playbook's own. */
  readonly action: 'apply' | null;
  /** The variables that the caller exposes. */
  readonly env: JsonObject;
  readonly project: ProjectDefaults | null;
  readonly callerGuard: GuardSpec | null;
  /** Under exec alone. */
  readonly executionId: number | null;
  readonly conditionalRoutes: RouteSeverity;
  /** The caller's tokens: none may be sent or recorded as anything else. Left out: none is known. */
  readonly tokenOf?: TokenOf;
}

/** The playbook is null when any diagnostic is an error. */
export interface LoadResult {
  readonly playbook: Playbook | null;
  /** Then what could be built of it, for further complaints and nothing else. */
  readonly partial: PartialPlaybook | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads, renders and checks a playbook: text to typed steps with positions, or every complaint that can be made at once. */
export async function loadPlaybook(request: LoadRequest): Promise<LoadResult> {
  const findings = new Findings();
  const text = decodeText(request.text, request.path, findings);
  const tree = text === null ? null : readYaml(text, request.path, findings);
  if (tree === null) return { playbook: null, partial: null, diagnostics: findings.list() };
  try {
    return build(tree, request, null, findings);
  } catch (error) {
    if (!(error instanceof ParserNeeded)) throw error;
  }
  // Plain paths need no parser; the first expression that is more loads it, and the tree is gone through again.
  const { parseExpression } = await import('./expression-parser.ts');
  return build(tree, request, parseExpression, new Findings());
}

function build(tree: TreeNode, request: LoadRequest, parse: ExpressionParser | null, findings: Findings): LoadResult {
  const envelope = readEnvelope(tree, findings);
  if (envelope === null) return { playbook: null, partial: null, diagnostics: findings.list() };
  const workload = readWorkload(
    { playbook: envelope.workload, action: request.action, file: request.workloadFile, sets: request.sets },
    findings,
  );
  const { steps: built, broken, guarded } = buildSteps(envelope, workload, request, parse, findings);
  const tokens = new InlineTokens(built, request.tokenOf ?? (() => null));
  const steps = tokens.hide(built, findings);
  const playbook: Playbook = {
    path: request.path,
    name: envelope.name,
    sha256: sha256Hex(request.text),
    steps,
    scope: { workload: tokens.hidden(workload), env: tokens.hidden(request.env) },
  };
  const diagnostics = tokens.scrubbed(findings.list());
  if (!findings.failed) return { playbook, partial: null, diagnostics };
  return { playbook: null, partial: partialOf(built, broken, guarded, tokens), diagnostics };
}

function buildSteps(
  envelope: Envelope,
  workload: JsonObject,
  request: LoadRequest,
  parse: ExpressionParser | null,
  findings: Findings,
): { readonly steps: readonly Step[]; readonly broken: ReadonlySet<WrittenStep>; readonly guarded: boolean } {
  if (envelope.defaults !== null) checkDefaultsKeys(envelope.defaults, findings);
  const written = readWorkflow(envelope.workflow, request.conditionalRoutes, findings);
  checkTargets(written, findings);
  const skips = findSkips(written, findings);
  const context = buildContext(envelope, workload, request, parse, findings);
  for (const step of written)
    context.index.set(step.name, { noResult: skips.get(step)?.detail ?? null, keys: null, services: null });
  const instances = expandSteps(
    written.filter((step) => !skips.has(step)),
    context,
  );
  const addresses = addressesByName(instances, findings);
  checkDependencies(written, addresses, findings);
  const before = findings.complaints;
  const guards = guardLevels(envelope, request, findings);
  const guarded = findings.complaints === before;
  const builder = new StepBuilder(context, new Order(written, addresses), guards);
  const steps = assemble(written, skips, instances, builder, context);
  return { steps, broken: context.broken, guarded };
}

function buildContext(
  envelope: Envelope,
  workload: JsonObject,
  request: LoadRequest,
  parse: ExpressionParser | null,
  findings: Findings,
): BuildContext {
  const index = new StepIndex();
  const tools = { compiler: new TemplateCompiler(parse), budget: new Budget(), index, findings };
  const variables = { workload, env: request.env, iter: null, executionId: request.executionId ?? undefined };
  const defaults = mergeDefaults(request.project?.defaults ?? null, envelope.defaults);
  return { tools, findings, index, catalogues: request.catalogues, broken: new Set(), defaults, variables };
}

function guardLevels(envelope: Envelope, request: LoadRequest, findings: Findings): readonly GuardLevel[] {
  const sources = [
    ['defaults', envelope.defaults],
    ['defaults of infra.yaml', request.project?.defaults ?? null],
  ] as const;
  const levels = sources.flatMap(([source, defaults]) => {
    const node = child(defaults, 'guard');
    const level = node === null ? null : readGuard(node, source, findings);
    return level === null ? [] : [level];
  });
  if (request.project?.guard) levels.push(request.project.guard);
  if (request.callerGuard !== null) levels.push(callerLevel(request.callerGuard));
  return levels;
}

function findSkips(steps: readonly WrittenStep[], findings: Findings): ReadonlyMap<WrittenStep, Skip> {
  const reached = reachable(steps);
  const skips = new Map<WrittenStep, Skip>();
  for (const step of steps) {
    const skip = skipOf(step, reached);
    if (skip === null) continue;
    skips.set(step, skip);
    if (skip.kind !== 'routing')
      findings.add('STEP_SKIPPED', `The step "${step.name}" is skipped: ${skip.detail}.`, step.node, {
        address: step.name,
      });
  }
  return skips;
}

function skipOf(step: WrittenStep, reached: ReadonlySet<string> | null): Skip | null {
  const { tool } = step;
  if (tool.kind === 'routing') return { kind: 'routing', detail: 'it only routes' };
  if (tool.kind === 'other')
    return { kind: 'not_provider', detail: `its tool is ${tool.what}, which infra never runs` };
  if (reached === null || reached.has(step.name)) return null;
  return { kind: 'unreachable', detail: 'no `next` leads to it' };
}

function addressesByName(instances: readonly Instance[], findings: Findings): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const instance of instances) {
    const known = byName.get(instance.step.name) ?? [];
    byName.set(instance.step.name, known);
    for (const address of addressesOf(instance)) {
      if (seen.has(address))
        findings.add('DUPLICATE_STEP', `Two steps have the address "${address}".`, instance.step.node, { address });
      seen.add(address);
      known.push(address);
    }
  }
  return byName;
}

/** All steps in written order. */
function assemble(
  written: readonly WrittenStep[],
  skips: ReadonlyMap<WrittenStep, Skip>,
  instances: readonly Instance[],
  builder: StepBuilder,
  { findings, broken }: BuildContext,
): readonly Step[] {
  const byStep = instancesByStep(instances);
  const steps: Step[] = [];
  for (const step of written) {
    const skip = skips.get(step);
    if (skip !== undefined) steps.push(skippedStep(step, skip, steps.length));
    const before = findings.complaints;
    for (const instance of byStep.get(step) ?? [])
      for (const built of builder.build(instance, steps.length)) steps.push(built);
    if (findings.complaints > before) broken.add(step);
    if (builder.edges > MAX_EDGES) {
      findings.add(
        'YAML_LIMIT',
        `depends_on and next give more than ${MAX_EDGES} dependencies between steps.`,
        step.node,
        { hint: 'put a smaller step between two long loops' },
      );
      return steps;
    }
  }
  return steps;
}

function partialOf(
  built: readonly Step[],
  broken: ReadonlySet<WrittenStep>,
  guarded: boolean,
  tokens: InlineTokens,
): PartialPlaybook {
  const running = built.filter(({ skip }) => skip === null);
  // A guard also says below which organisation folders are looked up: a broken one does not say nothing.
  const steps = guarded ? running : running.map((step) => ({ ...step, guard: withSomeOrganization(step.guard) }));
  const names = new Set([...broken].map(({ name }) => name));
  const whole = new Map(
    steps.filter((step) => !names.has(step.name) && !tokens.stand(step)).map((step) => [step.address, step]),
  );
  const sound = [...whole.values()].filter(({ dependsOn }) => dependsOn.every((address) => whole.has(address)));
  return { steps, sound: new Set(sound.map(({ address }) => address)) };
}

function withSomeOrganization(guard: GuardSpec | null): GuardSpec {
  const known = guard ?? NO_GUARD;
  return { ...known, requireOrg: known.requireOrg ?? '0' };
}

function instancesByStep(instances: readonly Instance[]): ReadonlyMap<WrittenStep, readonly Instance[]> {
  const byStep = new Map<WrittenStep, Instance[]>();
  for (const instance of instances) {
    const known = byStep.get(instance.step);
    if (known === undefined) byStep.set(instance.step, [instance]);
    else known.push(instance);
  }
  return byStep;
}
