import { diagnostic } from '../../../src/core/codes.ts';
import {
  type AppliedStep,
  type ApplyReport,
  type Outcome,
  type Plan,
  type PlanStep,
  summarize,
  summarizeOutcomes,
} from '../../../src/core/plan.ts';
import type { HumanOptions } from '../../../src/views/human/style.ts';

export const DIGEST = '3f9a'.repeat(16);
export const PLAIN: HumanOptions = { color: false, width: 100, verbose: false, showReads: false };

const BASE: PlanStep = {
  address: 'project',
  step: 'project',
  action: 'google.cloudresourcemanager.projects.ensure',
  provider: 'google',
  backend: 'rest',
  urn: 'google:cloudresourcemanager:project:acme-dns-prod',
  stack: 'foundation',
  reconcile: 'enforce',
  change: 'create',
  present: false,
  record: null,
  depends_on: [],
  input: {},
  desired: { project_id: 'acme-dns-prod', display_name: 'Acme DNS Prod', parent: 'folders/1' },
  actual: null,
  recorded: null,
  diff: {},
  unknown: [],
  would_call: [],
  converge: 'ensure_project',
  plan_digest: null,
  held: null,
  drift: null,
  preflight: null,
  source: { file: 'org.yaml', line: 12, column: 5 },
  diagnostics: [],
  resource_id: null,
  state: null,
  desc: null,
};

export function planStep(fields: Partial<PlanStep> = {}): PlanStep {
  return { ...BASE, ...fields };
}

export function planOf(steps: readonly PlanStep[], fields: Partial<Plan> = {}): Plan {
  return {
    format_version: '1.0',
    command: 'plan',
    mode: 'live',
    target: 'cloud',
    digest: DIGEST,
    stack: 'foundation',
    stacks: ['foundation'],
    playbook: { path: 'org.yaml', name: 'org-foundation', sha256: 'ab'.repeat(32) },
    summary: summarize(steps),
    steps,
    batches: [],
    diagnostics: [],
    ...fields,
  };
}

export function appliedStep(outcome: Outcome, fields: Partial<AppliedStep> = {}): AppliedStep {
  return { ...BASE, outcome, resource: null, provider_fact: null, operation: null, duration_ms: 0, ...fields };
}

export function reportOf(steps: readonly AppliedStep[], fields: Partial<ApplyReport> = {}): ApplyReport {
  return {
    ...planOf(steps),
    command: 'apply',
    summary: summarizeOutcomes(steps),
    steps,
    execution_id: 4213370001,
    head: `42:${'c0de'.repeat(16)}`,
    ...fields,
  };
}

const FOLDERS = ['00-shared', '10-platform', '20-media'] as const;
const PROJECTS = [
  { id: 'acme-dns-prod', name: 'Acme DNS Prod', folder: '00-shared', api: 'dns.googleapis.com' },
  { id: 'acme-etl-dev', name: 'Acme ETL Dev', folder: '10-platform', api: 'container.googleapis.com' },
  { id: 'acme-video', name: 'Acme Video', folder: '20-media', api: 'youtube.googleapis.com' },
] as const;
const ROLES = ['roles/resourcemanager.folderAdmin', 'roles/serviceusage.serviceUsageAdmin'] as const;

function folderSteps(): readonly PlanStep[] {
  return FOLDERS.map((name) =>
    planStep({
      address: `folders[${name}]`,
      step: 'folders',
      action: 'google.cloudresourcemanager.folders.ensure',
      desired: { parent: 'organizations/123456789012', display_name: name },
      source: { file: 'org.yaml', line: 31, column: 5 },
      desc: 'Top-level folders',
    }),
  );
}

function projectSteps(): readonly PlanStep[] {
  return PROJECTS.map(({ id, name, folder }) =>
    planStep({
      address: `projects[${id}]`,
      step: 'projects',
      depends_on: [`folders[${folder}]`],
      desired: { project_id: id, display_name: name, parent: `(known after apply: folders[${folder}].name)` },
      unknown: ['parent'],
      source: { file: 'org.yaml', line: 40, column: 5 },
    }),
  );
}

function billingSteps(): readonly PlanStep[] {
  return PROJECTS.map(({ id }) =>
    planStep({
      address: `billing[${id}]`,
      step: 'billing',
      action: 'google.cloudbilling.projects.link',
      desired: { project_id: id, billing_account: 'billingAccounts/0A1B2C-3D4E5F-6A7B8C' },
      source: { file: 'org.yaml', line: 52, column: 5 },
    }),
  );
}

function serviceSteps(): readonly PlanStep[] {
  return PROJECTS.map(({ id, api }) =>
    planStep({
      address: `apis[${id}][${api}]`,
      step: 'apis',
      action: 'google.serviceusage.services.enable',
      desired: { project_id: id, service: api },
      source: { file: 'org.yaml', line: 58, column: 5 },
    }),
  );
}

function grantSteps(): readonly PlanStep[] {
  return ROLES.map((role) =>
    planStep({
      address: `admins[${role}]`,
      step: 'admins',
      action: 'google.cloudresourcemanager.organizations.iam.ensure_binding',
      desired: { organization: 'organizations/123456789012', role, member: 'group:cloud-admins@example.com' },
      source: { file: 'org.yaml', line: 64, column: 5 },
    }),
  );
}

/** An empty organisation: everything is to be created. */
export function foundationPlan(): Plan {
  const steps = [...folderSteps(), ...projectSteps(), ...billingSteps(), ...serviceSteps(), ...grantSteps()];
  const addresses = grantSteps().map((step) => step.address);
  return planOf(steps, {
    batches: [{ request: 'add 2 members to the policy of organizations/123456789012', addresses }],
  });
}

/** One step of every kind that there is. */
export function mixedPlan(): Plan {
  const step = (address: string, fields: Partial<PlanStep>) => planStep({ address, step: address, ...fields });
  const name = { desired: { project_id: 'acme-web', display_name: 'Acme Web' } };
  const live = { present: true, resource_id: 'projects/415104041262', state: 'ACTIVE' } as const;
  return planOf(
    [
      step('created', {
        present: 'unknown',
        preflight: {
          answer: 'no',
          missing: ['resourcemanager.projects.create'],
          role: 'roles/resourcemanager.projectCreator',
        },
      }),
      step('renamed', {
        ...live,
        change: 'update',
        diff: {
          display_name: { desired: 'Acme Web', actual: 'Old Web' },
          labels: { desired: { env: 'prod', team: 'web' }, actual: { env: 'dev' } },
        },
      }),
      step('moved', { ...live, change: 'move', diff: { parent: { desired: 'folders/2', actual: 'folders/1' } } }),
      step('undeleted', { ...live, change: 'undelete', state: 'DELETE_REQUESTED' }),
      step('removed', {
        ...live,
        ...name,
        change: 'delete',
        action: 'google.cloudresourcemanager.projects.delete',
        desired: { project_id: 'acme-old' },
        actual: { project_id: 'acme-old', display_name: 'Acme Old', parent: 'folders/9' },
        reconcile: null,
      }),
      step('adopted', {
        ...live,
        change: 'adopt',
        reconcile: 'adopt',
        diff: { display_name: { desired: 'Acme Web', actual: 'Old Web' } },
      }),
      step('recorded', { ...live, change: 'none', record: 'own' }),
      step('same', { ...live, change: 'none' }),
      step('read', {
        change: 'read',
        action: 'google.cloudresourcemanager.folders.list',
        input: { parent: 'folders/1' },
        desired: null,
        reconcile: null,
      }),
      step('reported', {
        ...live,
        change: 'update',
        held: 'reconcile is report',
        drift: 'modified',
        diff: { display_name: { desired: 'Acme Web', actual: 'Old Web' } },
      }),
      step('blocked', {
        change: 'blocked',
        diagnostics: [
          diagnostic('PARENT_DELETED', 'folders/1 was deleted on 2026-07-01.', {
            hint: 'undelete the folder first',
            address: 'blocked',
            source: { file: 'org.yaml', line: 12, column: 5 },
          }),
        ],
      }),
      step('undecided', {
        change: 'unknown',
        present: 'unknown',
        diagnostics: [diagnostic('UNDECIDED', 'No credential could be obtained.')],
      }),
      step('left_out', { change: 'skipped' }),
    ],
    {
      diagnostics: [
        diagnostic('LOG_NOT_KEPT', 'CI=true and the log is .infra/eventlog.jsonl.', {
          hint: 'set INFRA_EVENTLOG to a shared log',
        }),
      ],
    },
  );
}
