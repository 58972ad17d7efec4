import { hasErrors, isError } from '../../core/diagnostics.ts';
import type { OrphanEntry, OrphansReport, UncoveredGrant } from '../../core/reports.ts';
import { shellCommand } from '../shell.ts';
import { block, count, escapeText } from '../text.ts';
import { renderDiagnostics } from './diagnostics.ts';
import { targetWords } from './plan.ts';
import { type HumanOptions, painter } from './style.ts';
import { valueText } from './values.ts';

/** The playbook that was written to delete them. */
interface WrittenRemoval {
  readonly file: string;
  readonly steps: number;
  readonly kept: readonly { readonly urn: string; readonly why: string }[];
}

/** Orphans for a person, and what else came to light on the way. */
export function renderOrphans(report: OrphansReport, removal: WrittenRemoval | null, options: HumanOptions): string {
  const diagnostics = renderDiagnostics(report.diagnostics, options);
  return (
    block([
      `Orphans of stack ${escapeText(report.stack)} on ${targetWords(report.target)}`,
      '',
      ...section('Owned, and declared by no playbook', report.orphans.flatMap(orphanLines), report.orphans, options),
      ...section('Claimed by several stacks', report.conflicts.map(conflictLine), report.conflicts, options),
      ...section('One resource under several names', report.aliases.flatMap(aliasLines), report.aliases, options),
      ...section('Grants that no fact covers', report.grants.map(grantLine), report.grants, options),
    ]) +
    (diagnostics === '' ? '' : `${diagnostics}\n`) +
    block([...summaryLines(report, options), ...(removal === null ? [] : removalLines(removal))])
  );
}

function section(
  title: string,
  lines: readonly string[],
  items: readonly unknown[],
  options: HumanOptions,
): readonly string[] {
  return items.length === 0 ? [] : [painter(options.color)('bold', `${title} (${items.length})`), ...lines, ''];
}

function orphanLines(orphan: OrphanEntry): readonly string[] {
  const since = orphan.since === null ? [] : [`since ${orphan.since}`];
  const facts = [...since, `execution ${orphan.last_execution_id}`, ...(orphan.protected ? ['protected'] : [])];
  return [`  ${escapeText(orphan.urn)}`, `      ${escapeText(facts.join(', '))}`];
}

function conflictLine({ urn, stacks }: OrphansReport['conflicts'][number]): string {
  return `  ${escapeText(urn)}: ${escapeText(stacks.join(', '))}`;
}

function aliasLines({ resource_id, urns }: OrphansReport['aliases'][number]): readonly string[] {
  return [`  ${escapeText(resource_id)}`, ...urns.map((urn) => `      ${escapeText(urn)}`)];
}

function grantLine({ resource, role, member, condition }: UncoveredGrant): string {
  const when = condition === null ? '' : `, when ${valueText(condition)}`;
  return `  ${escapeText(resource)}: ${escapeText(role)} to ${escapeText(member)}${when}`;
}

function summaryLines(
  { orphans, conflicts, grants, diagnostics }: OrphansReport,
  options: HumanOptions,
): readonly string[] {
  const counts = [
    orphans.length === 0 ? 'No orphans' : count(orphans.length, 'orphan'),
    ...(conflicts.length === 0 ? [] : [count(conflicts.length, 'conflict')]),
    ...(grants.length === 0 ? [] : [`${count(grants.length, 'grant')} that no fact covers`]),
    // What could not be looked into may hold more.
    ...(hasErrors(diagnostics) ? [`${diagnostics.filter(isError).length} unchecked`] : []),
  ];
  const protectedOnes = orphans.filter((orphan) => orphan.protected).length;
  const kept = protectedOnes === 0 ? '' : `; ${protectedOnes} protected`;
  return [painter(options.color)('bold', `${counts.join(', ')}${kept}.`)];
}

function removalLines({ file, steps, kept }: WrittenRemoval): readonly string[] {
  const left = kept.map(({ urn, why }) => `  ${escapeText(urn)}: ${escapeText(why)}`);
  return [
    ...(left.length === 0 ? [] : ['', 'Not to be deleted:', ...left]),
    '',
    ...(steps === 0
      ? [`Nothing is to be deleted, so ${escapeText(file)} was not written.`]
      : [
          `To delete ${steps === 1 ? 'it' : `these ${steps}`}, review the playbook that was written:`,
          `  ${shellCommand(['infra', 'plan', file])}`,
        ]),
  ];
}
