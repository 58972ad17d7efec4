import type { Json } from '../../core/json.ts';
import type { OrphansReport } from '../../core/reports.ts';
import { diagnosticItems } from './diagnostics.ts';
import { code, document, plain, table } from './escape.ts';

/** Orphans for a pull request or an issue. */
export function orphansMarkdown(report: OrphansReport): string {
  const { orphans, conflicts, aliases, grants } = report;
  return document([
    `### ${orphans.length === 0 ? 'No orphans' : `Orphans (${orphans.length})`} in stack ${code(report.stack)}`,
    '',
    `On ${plain(report.target)}.`,
    '',
    ...part(
      orphans,
      table(
        ['Resource', 'Type', 'Since', 'Protected'],
        orphans.map((item) => [
          code(item.urn),
          plain(item.resource_type),
          plain(item.since ?? 'unknown'),
          item.protected ? 'yes' : 'no',
        ]),
      ),
    ),
    ...part(conflicts, [
      '#### Claimed by several stacks',
      '',
      ...conflicts.map(({ urn, stacks }) => `- ${code(urn)}: ${stacks.map(plain).join(', ')}`),
    ]),
    ...part(aliases, [
      '#### One resource under several names',
      '',
      ...aliases.map(({ resource_id, urns }) => `- ${code(resource_id)}: ${urns.map(code).join(', ')}`),
    ]),
    ...part(grants, [
      '#### Grants that no fact covers',
      '',
      ...table(
        ['On', 'Role', 'Member', 'Condition'],
        grants.map((grant) => [
          code(grant.resource),
          code(grant.role),
          code(grant.member),
          grant.condition === null ? '' : code(text(grant.condition)),
        ]),
      ),
    ]),
    ...diagnosticItems(report.diagnostics),
  ]);
}

function part(items: readonly unknown[], lines: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [...lines, ''];
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
