import type { DriftEntry, DriftReport, OrphanEntry, OrphansReport } from '../../../src/core/reports.ts';

export function driftEntry(parts: Partial<DriftEntry> = {}): DriftEntry {
  return {
    urn: 'google:cloudresourcemanager:project:acme-web',
    stack: 'prod',
    drift: 'in_sync',
    fields: [],
    diff: {},
    desired: { project_id: 'acme-web' },
    actual: { project_id: 'acme-web' },
    why: null,
    ignored: null,
    ignored_fields: {},
    purge_time: null,
    ...parts,
  };
}

export function driftReport(resources: readonly DriftEntry[], parts: Partial<DriftReport> = {}): DriftReport {
  const summary = {
    in_sync: 0,
    missing: 0,
    modified: 0,
    untracked: 0,
    not_managed: 0,
    unchecked: 0,
    ignored: 0,
  };
  for (const entry of resources) summary[entry.ignored === null ? entry.drift : 'ignored'] += 1;
  return {
    format_version: '1.0',
    command: 'drift',
    target: 'cloud',
    stack: null,
    resources,
    summary,
    diagnostics: [],
    ...parts,
  };
}

export function orphanEntry(parts: Partial<OrphanEntry> = {}): OrphanEntry {
  return {
    urn: 'google:cloudresourcemanager:project:acme-old',
    stack: 'prod',
    resource_type: 'project',
    last_desired: { project_id: 'acme-old' },
    last_execution_id: 7,
    since: '2026-01-01T00:00:00.000Z',
    protected: true,
    ...parts,
  };
}

export function orphansReport(parts: Partial<OrphansReport> = {}): OrphansReport {
  return {
    format_version: '1.0',
    command: 'orphans',
    target: 'cloud',
    stack: 'prod',
    orphans: [],
    conflicts: [],
    aliases: [],
    grants: [],
    diagnostics: [],
    ...parts,
  };
}
