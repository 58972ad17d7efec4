import type { PlanStep, RecordKind, Verdict } from '../../core/plan.ts';
import { shellCommand } from '../shell.ts';
import { escapeText } from '../text.ts';
import type { HumanOptions, Ink } from './style.ts';
import { diffTexts, fieldTexts } from './values.ts';
import { SIGNS, subjectOf, verbOf } from './words.ts';

/** One step of a plan, ready to be laid out. */
export interface StepText {
  readonly step: PlanStep;
  readonly sign: string;
  readonly ink: Ink;
  /** What is going to happen, without to what: `create`, `held, would create`. */
  readonly act: string;
  readonly subject: string;
  /** Fields and remarks, one line each, printable. */
  readonly details: readonly string[];
}

const RECORDS: Readonly<Record<RecordKind, string>> = {
  own: 'record as owned by this stack',
  protect: 'record its changed protection',
  tombstone: 'record that it is gone',
  rename: 'record its new identity',
};

const VERDICTS: Readonly<Record<Verdict, string | null>> = {
  in_sync: null,
  missing: 'drift: it is gone, though the log says that it is owned',
  modified: 'drift: it is not as last recorded in the log',
  untracked: 'drift: it is live, but no stack owns it yet',
  not_managed: null,
  unchecked: 'drift: it could not be read, so nothing is known about it',
};

export function stepText(step: PlanStep, options: HumanOptions): StepText {
  const subject = subjectOf(step);
  return {
    step,
    sign: SIGNS[step.change],
    ink: inkOf(step),
    act: actOf(step),
    subject: subject.text,
    details: [...fieldsOf(step, subject.told, options), ...remarksOf(step, options)],
  };
}

function inkOf(step: PlanStep): Ink {
  if (step.held !== null) return 'dim';
  if (step.change === 'create' || step.change === 'undelete') return 'add';
  if (step.change === 'delete') return 'remove';
  if (step.change === 'blocked') return 'error';
  if (step.change === 'update' || step.change === 'move' || step.change === 'adopt') return 'change';
  return step.change === 'unknown' ? 'warning' : 'info';
}

function actOf(step: PlanStep): string {
  const { base } = verbOf(step.change, step.action);
  switch (step.change) {
    case 'none':
      return noChange(step);
    case 'blocked':
      return 'blocked:';
    case 'unknown':
      return `${heldWord(step)}not read, so its change is not known:`;
    case 'skipped':
      return 'skipped:';
    case 'delete':
      return step.present === false ? 'already gone, nothing to delete:' : heldWord(step, base);
    default:
      return heldWord(step, base);
  }
}

function noChange({ present, record, reconcile }: PlanStep): string {
  if (reconcile === 'adopt' && record === null) return present === false ? 'not there:' : 'already owned as it is:';
  const already = reconcile === null ? alreadyGone(present, record) : standsAlready(present);
  return record === null ? `${already}:` : `${already}, ${RECORDS[record]}:`;
}

function standsAlready(present: PlanStep['present']): string {
  return present === false ? 'already gone' : 'already as declared';
}

/** A deletion without a request: of what is gone, or of what a deletion of this plan takes along. */
function alreadyGone(present: PlanStep['present'], record: PlanStep['record']): string {
  return present === 'unknown' && record === 'tombstone' ? 'goes with what it lies in' : 'already gone';
}

function heldWord(step: PlanStep, verb = ''): string {
  if (step.held === null) return verb;
  return verb === '' ? 'held, ' : `held, would ${verb}`;
}

function fieldsOf(step: PlanStep, told: ReadonlySet<string>, options: HumanOptions): readonly string[] {
  switch (step.change) {
    case 'create':
    case 'unknown':
    case 'blocked':
      return Object.keys(step.diff).length > 0 && step.present === true
        ? diffTexts(step.diff, 'change')
        : fieldTexts(step.desired, told);
    case 'update':
    case 'move':
    case 'undelete':
      return diffTexts(step.diff, 'change');
    case 'adopt':
      return diffTexts(step.diff, 'compare');
    case 'delete':
      return fieldTexts(step.actual, told);
    default:
      return options.verbose && step.change === 'read' ? fieldTexts(step.input, told) : [];
  }
}

function remarksOf(step: PlanStep, options: HumanOptions): readonly string[] {
  const remarks: (string | null)[] = [
    step.held === null ? null : `held: ${escapeText(step.held)}`,
    presenceRemark(step),
    idRemark(step),
    step.change === 'none' || step.record === null ? null : `the log: ${RECORDS[step.record]}`,
    step.drift === null || step.change === 'none' ? null : VERDICTS[step.drift],
    preflightRemark(step),
    ...(options.verbose ? step.would_call.map(callText) : []),
  ];
  return remarks.filter((remark) => remark !== null);
}

function presenceRemark(step: PlanStep): string | null {
  if (step.present !== 'unknown' || step.change !== 'create') return null;
  if (step.diagnostics.some((item) => item.code === 'NOT_VISIBLE')) return null;
  return 'not visible to this identity: it may exist out of sight, the create shows whether it does';
}

function idRemark(step: PlanStep): string | null {
  if (step.change === 'none' || step.change === 'read') return null;
  const known = [
    step.resource_id === null ? null : `id ${step.resource_id}`,
    step.state === null || saysNothing(step) ? null : `state ${step.state}`,
  ];
  const text = known.filter((part) => part !== null).join(', ');
  return text === '' ? null : `live: ${escapeText(text)}`;
}

/** What is to be deleted is there: that it is, needs no words. */
function saysNothing({ change, state, resource_id: id }: PlanStep): boolean {
  return change === 'delete' && id === null && !/delet|pend|clos|disab/i.test(state ?? '');
}

function preflightRemark(step: PlanStep): string | null {
  if (step.preflight === null || step.preflight.answer === 'yes') return null;
  if (step.preflight.answer === 'unknown') return 'permission: it could not be told whether this identity may do it';
  const role = step.preflight.role === null ? '' : `; ${step.preflight.role} has it`;
  return escapeText(`permission: missing ${step.preflight.missing.join(', ')}${role}`);
}

function callText(call: PlanStep['would_call'][number]): string {
  return 'argv' in call ? `runs: ${shellCommand(call.argv)}` : escapeText(`sends: ${call.method} ${call.url}`);
}
