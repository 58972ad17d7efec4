import { faultOf } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Plan, PlanStep } from '../../core/plan.ts';
import { hasChanges, isHeldChange, isPending } from '../../core/plan.ts';
import { shellCommand } from '../shell.ts';
import { block, columnWidth, count, displayWidth, escapeText, hanging, pad, truncate, wrap } from '../text.ts';
import { diagnosticKey, diagnosticLines, position, renderDiagnostics } from './diagnostics.ts';
import { groupSteps, listedSteps, ownDiagnostics, type StepGroup } from './groups.ts';
import { type StepText, stepText } from './step.ts';
import { type HumanOptions, painter } from './style.ts';
import { kindOf, plural } from './words.ts';

const VERB_TITLES = {
  plan: 'Plan of',
  apply: 'Plan of',
  adopt: 'Adoption of what is declared in',
  destroy: 'Destruction of what is declared in',
} as const;
const MODES = { live: 'read live', offline: 'offline, nothing was read', mixed: 'partly read live' } as const;
/** Addresses of a loop are lined up, but not for the sake of one very long one. */
const ADDRESS_COLUMN = 48;

/** A plan for a person: every step that does something, what hinders it, how to apply exactly this. */
export function renderPlan(plan: Plan, options: HumanOptions): string {
  const shown = plan.steps
    .filter((step) => isShown(step, plan.command, options))
    .map((step) => stepText(step, options));
  const groups = groupSteps(shown).flatMap((group) => [...groupLines(group, options), '']);
  return (
    block([titleLine(plan), '', ...groups]) +
    separated(renderDiagnostics(plan.diagnostics, options)) +
    block([...summaryLines(plan, options), ...outlookLines(plan, options)])
  );
}

function separated(text: string): string {
  return text === '' ? '' : `${text}\n`;
}

/** What changes nothing is counted, not listed; but an adoption says of everything how it stands. */
function isShown(step: PlanStep, verb: Plan['command'], options: HumanOptions): boolean {
  if (options.verbose || step.diagnostics.some((item) => item.severity !== 'note')) return true;
  if (step.change === 'read') return options.showReads;
  if (step.change === 'none') return step.record !== null || verb === 'adopt';
  return step.change !== 'skipped';
}

function titleLine(plan: Plan): string {
  const { path, name } = plan.playbook;
  const title = name === '' ? path : `${path} (${name})`;
  const stacks =
    plan.stacks.length === 0 ? [] : [`${plan.stacks.length === 1 ? 'stack' : 'stacks'} ${plan.stacks.join(', ')}`];
  return [
    escapeText(`${VERB_TITLES[plan.command]} ${title}`),
    `on ${targetWords(plan.target)}`,
    MODES[plan.mode],
    ...stacks.map(escapeText),
  ].join(', ');
}

export function targetWords(target: string): string {
  if (target === 'cloud') return 'the real cloud';
  return target === 'emulator' ? 'the emulator' : escapeText(target);
}

function groupLines(group: StepGroup, options: HumanOptions): readonly string[] {
  const [first] = group.steps;
  if (first === undefined) return [];
  return group.steps.length === 1 ? singleLines(first, options) : manyLines(first, group, options);
}

function singleLines(item: StepText, options: HumanOptions): readonly string[] {
  const paint = painter(options.color);
  const { step } = item;
  const address = escapeText(step.address);
  const words = `${item.act} ${item.subject}`;
  const head = `${paint(item.ink, item.sign)} ${paint('bold', address)}:`;
  const fits = displayWidth(`${item.sign} ${address}: ${words}`) <= options.width;
  return [
    ...(fits ? [`${head} ${words}`] : [head, ...hanging(words, '    ', options.width)]),
    ...placeLines(step, options),
    ...item.details.map((detail) => `    ${detail}`),
    ...stepDiagnostics(step, step.diagnostics, '    ', options),
  ];
}

function placeLines(step: PlanStep, options: HumanOptions): readonly string[] {
  const desc = step.desc === null ? '' : `  ${escapeText(step.desc)}`;
  return [`    ${painter(options.color)('dim', `${position(step.source)}${desc}`)}`];
}

function manyLines(first: StepText, group: StepGroup, options: HumanOptions): readonly string[] {
  const paint = painter(options.color);
  const { step } = first;
  const head = `${paint(first.ink, first.sign)} ${paint('bold', escapeText(step.step))}: ${first.act} ${group.steps.length} ${plural(kindOf(step))}`;
  const common = [
    ...first.details.filter((detail) => group.common.has(detail)).map((detail) => `    ${detail}`),
    ...stepDiagnostics(
      step,
      step.diagnostics.filter((item) => group.commonDiagnostics.has(diagnosticKey(item))),
      '    ',
      options,
    ),
  ];
  const listed = listedSteps(group, options.verbose);
  const column = columnOf(listed, options.width);
  const lines = listed.flatMap((item) => instanceLines(item, group, column, options));
  const hidden = group.steps.length - listed.length;
  const rest = hidden === 0 ? [] : [`    … and ${hidden} more like these (-v lists them all)`];
  return [head, ...placeLines(sameDesc(group) ? step : { ...step, desc: null }, options), ...common, ...lines, ...rest];
}

function sameDesc(group: StepGroup): boolean {
  return group.steps.every((item) => item.step.desc === group.steps[0]?.step.desc);
}

/** Columns of the addresses when every instance fits on one line; null when each takes a line of its own. */
function columnOf(listed: readonly StepText[], width: number): number | null {
  const column = columnWidth(
    listed.map((item) => escapeText(item.step.address)),
    ADDRESS_COLUMN,
  );
  return listed.every((item) => displayWidth(item.subject) + column + 8 <= width) ? column : null;
}

function instanceLines(
  item: StepText,
  group: StepGroup,
  column: number | null,
  options: HumanOptions,
): readonly string[] {
  const address = escapeText(item.step.address);
  const sign = `    ${painter(options.color)(item.ink, item.sign)}`;
  const own = item.details.filter((detail) => !group.common.has(detail));
  const head = column === null ? `${sign} ${address}` : `${sign} ${pad(address, column)}  ${item.subject}`;
  const subject = column === null ? hanging(item.subject, '        ', options.width) : [];
  const [only] = own;
  const room = options.width - 10 - displayWidth(item.subject) - (column ?? options.width);
  const inline = only !== undefined && own.length === 1 && displayWidth(only) <= room;
  const lines = inline ? [`${head}  ${only}`] : [head, ...subject, ...own.map((detail) => `        ${detail}`)];
  return [...lines, ...stepDiagnostics(item.step, ownDiagnostics(group, item), '        ', options)];
}

function stepDiagnostics(
  step: PlanStep,
  items: readonly Diagnostic[],
  indent: string,
  options: HumanOptions,
): readonly string[] {
  const frame = {
    indent,
    width: options.width,
    paint: painter(options.color),
    address: step.address,
    source: step.source,
  };
  return items.flatMap((item) => diagnosticLines({ ...item, urn: null }, frame));
}

function summaryLines(plan: Plan, options: HumanOptions): readonly string[] {
  const { summary } = plan;
  const recorded = plan.steps.filter(
    (step) => step.held === null && step.change === 'none' && step.record !== null,
  ).length;
  const main = [
    `${summary.create} to create`,
    `${summary.update} to change`,
    ...some(summary.move, 'to move'),
    ...some(summary.undelete, 'to undelete'),
    `${summary.delete} to delete`,
    ...some(summary.adopt, 'to adopt'),
    ...some(recorded, 'to record in the log only'),
  ];
  const rest = [
    ...some(summary.none - recorded, UNCHANGED[plan.command]),
    ...some(summary.read, 'to read'),
    ...some(summary.held, 'held'),
    ...some(summary.blocked, 'blocked'),
    ...some(summary.unknown, 'not read'),
    ...some(summary.skipped, 'skipped'),
  ];
  const text = `Plan: ${main.join(', ')}${rest.length === 0 ? '' : `; ${rest.join(', ')}`}.`;
  return [painter(options.color)('bold', text), ...batchLines(plan, options)];
}

const UNCHANGED = {
  plan: 'already as declared',
  apply: 'already as declared',
  adopt: 'left as they are',
  destroy: 'already gone',
} as const;

function some(number: number, words: string): readonly string[] {
  return number > 0 ? [`${number} ${words}`] : [];
}

function batchLines(plan: Plan, options: HumanOptions): readonly string[] {
  const shared = plan.batches.filter((batch) => batch.addresses.length > 1);
  if (shared.length === 0) return [];
  const steps = shared.reduce((sum, batch) => sum + batch.addresses.length, 0);
  const requests = shared.map((batch) => `${escapeText(batch.request)} (${batch.addresses.length})`).join('; ');
  const text = `Sent together: ${count(steps, 'step')} in ${count(shared.length, 'request')}: ${requests}`;
  return options.verbose ? wrap(text, options.width) : [truncate(text, options.width)];
}

const asDeclared = (path: string) => `Nothing to do: everything is as ${path} declares. No apply is needed.`;
const NOTHING: Readonly<Record<Plan['command'], (path: string) => string>> = {
  plan: asDeclared,
  apply: asDeclared,
  adopt: (path) => `Nothing to adopt: what ${path} declares is owned as it is live, or is not there.`,
  destroy: (path) => `Nothing to destroy: nothing that ${path} declares is owned any more.`,
};

/** What can be done with this plan: nothing needed, nothing possible, or the command that applies it. */
function outlookLines(plan: Plan, options: HumanOptions): readonly string[] {
  if (!hasChanges(plan)) return [heldBack(plan) ?? NOTHING[plan.command](escapeText(plan.playbook.path))];
  if (plan.digest === null) return noDigestLines(plan);
  const digest = `Digest: ${plan.digest}`;
  if (!plan.steps.some(isPending)) return [digest, ...idleLines(plan)];
  const blocked =
    plan.summary.blocked > 0 ? ['Blocked steps and what depends on them are left out; the rest can be applied.'] : [];
  return [digest, ...blocked, ...applyLines(plan, options)];
}

/** A destruction passes held steps over: that nothing else is left does not say that nothing is owned. */
function heldBack({ command, steps }: Plan): string | null {
  const reasons = steps.flatMap(({ change, diagnostics }) =>
    change === 'skipped' ? diagnostics.flatMap(({ detail }) => (detail.startsWith(HELD) ? [detail] : [])) : [],
  );
  if (command !== 'destroy' || reasons.length === 0) return null;
  const why = [...new Set(reasons.map((detail) => escapeText(detail.slice(HELD.length))))];
  const hint = why.includes('reconcile is report') ? '; pass --reconcile enforce, or say it in the playbook' : '';
  const are = reasons.length === 1 ? 'step is' : 'steps are';
  return `Nothing to destroy: ${reasons.length} ${are} held (${why.join('; ')})${hint}.`;
}

const HELD = 'held: ';

function idleLines(plan: Plan): readonly string[] {
  const held = plan.steps.filter(isHeldChange);
  const why = [...new Set(held.map((step) => escapeText(step.held ?? '')))].join('; ');
  const lines =
    held.length === 0 ? [] : [`An apply would change nothing: ${count(held.length, 'step')} held (${why}).`];
  return plan.summary.blocked === 0
    ? lines
    : [...lines, `An apply would change nothing: ${count(plan.summary.blocked, 'step')} blocked, see above.`];
}

function noDigestLines(plan: Plan): readonly string[] {
  const unread = plan.steps.filter((step) => step.change === 'unknown' && step.held === null);
  return [
    `No digest: ${unread.length === 0 ? 'some steps' : count(unread.length, 'step')} could not be compared with the cloud, so this plan can't be applied.`,
    `To get one: ${waysToDigest(plan, unread).join('; ')}, and plan again.`,
  ];
}

/** What each kind of reason takes. */
function waysToDigest({ mode }: Plan, unread: readonly PlanStep[]): readonly string[] {
  const reasons = unread.map((step) => step.diagnostics[0]);
  const endpoints = reasons.flatMap((why) =>
    why?.code === 'ENDPOINT_NOT_ALLOWED' && why.hint !== null ? [escapeText(why.hint)] : [],
  );
  const offline = mode === 'offline' && reasons.every((why) => why === undefined || why.code === 'UNDECIDED');
  const others = reasons.filter((why) => why?.code !== 'ENDPOINT_NOT_ALLOWED' || why.hint === null);
  const auth = others.some((why) => why === undefined || faultOf(why) === 'auth');
  const more = others.some((why) => why !== undefined && faultOf(why) !== 'auth');
  return [
    ...(offline ? ['leave --offline (or --untrusted) out'] : []),
    ...(endpoints.length > 0 ? [`allow the endpoint with ${[...new Set(endpoints)].join(' ')}`] : []),
    ...(!offline && auth ? ['give the steps above an auth that can be used'] : []),
    ...(!offline && more ? ['see to what is said of the steps above'] : []),
  ];
}

/** `infra <verb> <playbook>`, or what the caller handed in; null where there is no such command. */
export function applyCommandOf(
  plan: Pick<Plan, 'command' | 'playbook' | 'target'>,
  options: HumanOptions,
): string | null {
  if (options.applyCommand !== undefined) return options.applyCommand;
  const verb = plan.command === 'plan' ? 'apply' : plan.command;
  const { path } = plan.playbook;
  const target = plan.target === 'emulator' ? ['--emulator'] : [];
  return shellCommand(['infra', verb, path.startsWith('-') ? `./${path}` : path, ...target]);
}

function applyLines(plan: Plan, options: HumanOptions): readonly string[] {
  const command = applyCommandOf(plan, options);
  if (command === null) return [];
  return [
    '',
    `To ${plan.command === 'plan' ? 'apply' : plan.command} exactly this:`,
    `  ${command} --confirm ${plan.digest ?? ''}`,
  ];
}
