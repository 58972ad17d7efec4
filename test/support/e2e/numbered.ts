import { ACCOUNT, type Cloud, ORG, openCloudInside } from './cloud.ts';
import { enable, grant, link, project } from './playbooks.ts';

export const PROJECT = 'google:cloudresourcemanager:project:acme-web';
export const NUMBER = '1001';
export const TEAM = { role: 'roles/browser', member: 'group:team@example.com' };

export const inProject = (name: string) => [
  `google:cloudbilling:billing-link:${name}`,
  `google:iam:binding:projects/${name}/${TEAM.role}/${TEAM.member}`,
  `google:serviceusage:service:${name}/dns.googleapis.com`,
];
export const BY_ID = inProject('acme-web');
export const BY_NUMBER = inProject(NUMBER);
export const all = (verdict: string, urns: readonly string[]) => Object.fromEntries(urns.map((urn) => [urn, verdict]));

export const WEB = project('web', { project_id: 'acme-web', parent: ORG }, { protect: false });
export const INSIDE = [
  link('billing', { project_id: 'acme-web', billing_account: ACCOUNT }),
  enable('dns', { project_id: 'acme-web', service: 'dns.googleapis.com' }),
  grant('team', { project_id: 'acme-web', ...TEAM }),
];

export interface Row {
  readonly urn: string;
  readonly desired: object;
  readonly id?: string;
  readonly stack?: string;
  readonly protect?: boolean;
}

export function rowOf({ urn, desired, id, stack = 'prod', protect }: Row): string {
  const [, service, resource_type] = urn.split(':');
  const said = { ...(id === undefined ? {} : { resource_id: id }), ...(protect === undefined ? {} : { protect }) };
  const by = { provider: 'google', service, resource_type, verb: 'ensure', stack, outcome: 'changed' };
  return `${JSON.stringify({ provider_fact: { urn, ...by, desired, execution_id: 5, origin: 'created', ...said } })}\n`;
}

export const webRow = {
  urn: PROJECT,
  desired: { project_id: 'acme-web', parent: ORG },
  id: `projects/${NUMBER}`,
  protect: false,
};

/** What stands in the project, as a log that goes by its number has it. */
export function rowsInside(stack = 'prod'): readonly Row[] {
  const [billing = '', team = '', dns = ''] = BY_NUMBER;
  return [
    { urn: billing, desired: { project_id: NUMBER, billing_account: ACCOUNT }, stack },
    { urn: team, desired: { resource: `projects/${NUMBER}`, ...TEAM }, stack },
    { urn: dns, desired: { project_id: NUMBER, service: 'dns.googleapis.com' }, stack },
  ];
}

/** A project with a link, a service and a grant, and a log of these rows. */
export async function openedWith(rows: readonly Row[]): Promise<Cloud> {
  const cloud = await openCloudInside({
    seed: {
      projects: [
        {
          projectId: 'acme-web',
          number: NUMBER,
          parent: ORG,
          billingAccountName: ACCOUNT,
          services: ['dns.googleapis.com'],
        },
      ],
      policies: [
        { resource: `projects/${NUMBER}`, policy: { bindings: [{ role: TEAM.role, members: [TEAM.member] }] } },
      ],
    },
  });
  cloud.write({ defaults: { stack: 'prod' }, steps: [WEB, ...INSIDE] });
  cloud.writeText('.infra/eventlog.jsonl', rows.map(rowOf).join(''));
  return cloud;
}
