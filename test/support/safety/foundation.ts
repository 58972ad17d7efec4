import type { EmulatorSeed } from '../../../src/emulator/google/options.ts';
import type { WorldState } from '../../../src/emulator/google/world/state.ts';

export const ORG_ID = '123456789012';
export const ACCOUNT_ID = '0A1B2C-3D4E5F-6A7B8C';

/** Someone else's part of the policy: no run may touch it. */
const FOREIGN_BINDINGS = [
  { role: 'roles/owner', members: ['user:Founder@example.com', 'deleted:user:gone@example.com?uid=1'] },
  {
    role: 'roles/browser',
    members: ['user:night@example.com'],
    condition: { title: 'office', expression: 'request.time.getHours() < 18' },
  },
];
const AUDIT_CONFIGS = [{ service: 'allServices', auditLogConfigs: [{ logType: 'ADMIN_READ' }] }];

/** An organisation with two projects of its own: one in the wrong place, one with the wrong name. */
export const FOUNDATION_SEED: EmulatorSeed = {
  organizations: [{ id: ORG_ID, displayName: 'acme.example' }],
  billingAccounts: [{ id: ACCOUNT_ID, parent: `organizations/${ORG_ID}` }],
  projects: [
    { projectId: 'acme-etl-dev', parent: `organizations/${ORG_ID}`, displayName: 'Acme ETL Dev' },
    { projectId: 'acme-web-prod', parent: `organizations/${ORG_ID}`, displayName: 'Old name', labels: { team: 'web' } },
  ],
  policies: [
    { resource: `organizations/${ORG_ID}`, policy: { bindings: FOREIGN_BINDINGS, auditConfigs: AUDIT_CONFIGS } },
  ],
};

/** Folders, a project to make, one to move, one to rename, links, services and grants: every kind of write once. Operations are polled without a pause. */
export function foundationPlaybook(
  endpoint: string,
  extra: { readonly stack?: string; readonly auth?: string } = {},
): string {
  return `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: foundation }
workload:
  action: plan
  org: organizations/${ORG_ID}
  account: billingAccounts/${ACCOUNT_ID}
defaults:
  stack: ${extra.stack ?? 'foundation'}
  reconcile: enforce
  dry_run: "{{ workload.action != 'apply' }}"
  endpoint: ${JSON.stringify(endpoint)}
  auth: ${extra.auth ?? '{ type: bearer, token_env: INFRA_TEST_TOKEN }'}
  poll: { interval_ms: 1 }
  guard:
    require_org: organizations/${ORG_ID}
    require_org_display_name: acme.example
    require_billing_account: ${ACCOUNT_ID}
workflow:
  - step: folders
    loop: { in: "{{ ['00-shared', '10-platform'] }}", iterator: name }
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.folders.ensure
      input: { parent: "{{ workload.org }}", display_name: "{{ iter.name }}" }
  - step: dns
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.projects.ensure
      input: { project_id: acme-dns-prod, display_name: Acme DNS, parent: folders/by-display-name/00-shared }
  - step: etl
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.projects.ensure
      input: { project_id: acme-etl-dev, parent: folders/by-display-name/10-platform }
  - step: web
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.projects.ensure
      input: { project_id: acme-web-prod, display_name: Acme Web, parent: "{{ workload.org }}" }
  - step: billing
    loop: { in: "{{ ['acme-dns-prod', 'acme-etl-dev'] }}", iterator: project }
    tool:
      kind: provider
      provider: google
      action: google.cloudbilling.projects.link
      input: { project_id: "{{ iter.project }}", billing_account: "{{ workload.account }}" }
  - step: dns_apis
    tool:
      kind: provider
      provider: google
      action: google.serviceusage.services.enable
      input: { project_id: acme-dns-prod, service: dns.googleapis.com }
  - step: etl_apis
    tool:
      kind: provider
      provider: google
      action: google.serviceusage.services.enable
      input: { project_id: acme-etl-dev, services: [pubsub.googleapis.com, logging.googleapis.com] }
  - step: admins
    loop: { in: "{{ ['roles/resourcemanager.folderAdmin', 'roles/serviceusage.serviceUsageAdmin'] }}", iterator: role }
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.organizations.iam.ensure_binding
      input: { organization: "{{ workload.org }}", role: "{{ iter.role }}", member: "group:cloud-admins@example.com" }
`;
}

/** Addresses of the steps that write something on the first run. */
export const FOUNDATION_STEPS = [
  'admins[roles/resourcemanager.folderAdmin]',
  'admins[roles/serviceusage.serviceUsageAdmin]',
  'billing[acme-dns-prod]',
  'billing[acme-etl-dev]',
  'dns',
  'dns_apis',
  'etl',
  'etl_apis[logging.googleapis.com]',
  'etl_apis[pubsub.googleapis.com]',
  'folders[00-shared]',
  'folders[10-platform]',
  'web',
] as const;

/** The emulated world in words: names instead of numbers, times and etags, every list sorted. */
export interface Shape {
  /** Path from the organisation, one entry a folder: two folders of one name show as two. */
  readonly folders: readonly string[];
  /** `id: state name parent billing services labels`. */
  readonly projects: readonly string[];
  readonly policies: Readonly<Record<string, unknown>>;
}

export function shapeOf(snapshot: unknown): Shape {
  const state = snapshot as WorldState;
  const nameOf = (resource: string | undefined): string => {
    const folder = resource === undefined ? undefined : state.folders[resource];
    return folder === undefined ? (resource ?? 'nowhere') : `${nameOf(folder.parent)}/${folder.displayName}`;
  };
  const projects = Object.values(state.projects).map((project) => {
    const services = Object.entries(project.services).flatMap(([name, service]) =>
      service.state === 'ENABLED' ? [name] : [],
    );
    return [
      `${project.projectId}: ${project.state}`,
      JSON.stringify(project.displayName),
      nameOf(project.parent),
      project.billingAccountName || 'unbilled',
      services.sort().join(' '),
      JSON.stringify(project.labels),
    ].join(' | ');
  });
  const policies = Object.entries(state.policies).map(([resource, { bindings, auditConfigs }]) => [
    nameOf(resource),
    { bindings: bindings.map((binding) => JSON.stringify(binding)).sort(), auditConfigs },
  ]);
  return {
    folders: Object.values(state.folders)
      .map((folder) => `${nameOf(folder.name)} ${folder.state}`)
      .sort(),
    projects: projects.sort(),
    policies: Object.fromEntries(policies) as Record<string, unknown>,
  };
}

/** Whether the emulated world shows what the step of FOUNDATION_STEPS declares. */
export function isDone(address: string, snapshot: unknown): boolean {
  const shape = shapeOf(snapshot);
  const org = `organizations/${ORG_ID}`;
  const project = (id: string): string => shape.projects.find((line) => line.startsWith(`${id}: ACTIVE`)) ?? '';
  const [, key = ''] = /\[(.*)\]$/.exec(address) ?? [];
  switch (address.replace(/\[.*$/, '')) {
    case 'folders':
      return shape.folders.includes(`${org}/${key} ACTIVE`);
    case 'dns':
      return project('acme-dns-prod').includes(`"Acme DNS" | ${org}/00-shared |`);
    case 'etl':
      return project('acme-etl-dev').includes(`| ${org}/10-platform |`);
    case 'web':
      return project('acme-web-prod').includes(`"Acme Web" | ${org} |`);
    case 'billing':
      return project(key).includes(`billingAccounts/${ACCOUNT_ID}`);
    case 'dns_apis':
      return project('acme-dns-prod').includes('dns.googleapis.com');
    case 'etl_apis':
      return project('acme-etl-dev').includes(key);
    case 'admins':
      return JSON.stringify(shape.policies[org] ?? {}).includes(
        `{\\"role\\":\\"${key}\\",\\"members\\":[\\"group:cloud-admins@example.com\\"]}`,
      );
    default:
      throw new Error(`no step ${address}`);
  }
}
