import type { OrphanEntry, OrphansReport } from '../../core/reports.ts';
import { diagnosticDocument } from './diagnostic.ts';

/** One orphan with the contract's keys in its order. */
export function orphanDocument(orphan: OrphanEntry): object {
  return {
    urn: orphan.urn,
    stack: orphan.stack,
    resource_type: orphan.resource_type,
    last_desired: orphan.last_desired,
    last_execution_id: orphan.last_execution_id,
    since: orphan.since,
    protected: orphan.protected,
  };
}

/** The JSON of orphans. */
export function orphansDocument(report: OrphansReport): object {
  return {
    format_version: report.format_version,
    command: report.command,
    target: report.target,
    stack: report.stack,
    orphans: report.orphans.map(orphanDocument),
    conflicts: report.conflicts.map(({ urn, stacks }) => ({ urn, stacks })),
    aliases: report.aliases.map(({ resource_id, urns }) => ({ resource_id, urns })),
    grants: report.grants.map(({ resource, role, member, condition }) => ({ resource, role, member, condition })),
    diagnostics: report.diagnostics.map(diagnosticDocument),
  };
}
