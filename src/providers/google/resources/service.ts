import { diagnostic } from '../../../core/codes.ts';
import type { Diagnostic } from '../../../core/diagnostics.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ChangeContext, Observation } from '../../../core/resource.ts';
import type { ValueObject } from '../../../core/value.ts';
import type { Target } from '../../lifecycle-provider.ts';
import { projectIdField, refuseWildcards } from '../common-inputs.ts';
import { type ApiRequest, type Declared, defineResource, type Foreign, segment } from '../define-resource.ts';
import { present, textAt, textField } from '../inputs.ts';
import { ABSENT, found, isGoing, isInsidePending, unreadable } from '../observing.ts';
import { mapAnswer, type Reads } from '../reads.ts';
import { listOf, SERVICE } from '../result-shapes.ts';
import { dependantsOf } from '../service-dependants.ts';
import { serviceNameFormat } from '../validation.ts';
import { inProject } from './project.ts';

const URN = 'google:serviceusage:service:';
const PAGE_SIZE = '200';
/** Services that one request may enable. */
export const ENABLE_BATCH = 20;

const serviceField = textField('service_name', {
  aliases: ['service'],
  required: true,
  isStatic: true,
  format: serviceNameFormat,
});

const declare = ({ project_id, service_name }: ValueObject): Declared => ({
  desired: present({ project_id, service: service_name }),
  options: {},
});

export const service = defineResource({
  type: 'service',
  service: 'serviceusage',
  fields: { project_id: 'identity', service: 'identity' },
  actions: [
    {
      name: 'serviceusage.services.enable',
      kind: 'ensure',
      converge: 'ensure_service',
      result: SERVICE,
      input: [projectIdField, serviceField],
      expand: { list: 'services', single: 'service_name' },
      declare,
    },
    {
      name: 'serviceusage.services.disable',
      kind: 'delete',
      converge: 'destroy',
      result: SERVICE,
      input: [projectIdField, serviceField],
      check: refuseWildcards(['project_id', 'service_name']),
      declare,
    },
    {
      name: 'serviceusage.services.list_enabled',
      kind: 'read',
      converge: 'single',
      result: listOf('services', SERVICE),
      input: [projectIdField],
      declare: ({ project_id }) => ({ desired: present({ project_id }), options: {} }),
      request: ({ project_id }) => ({
        service: 'serviceusage',
        method: 'GET',
        path: `projects/${segment(project_id)}/services`,
        query: { filter: 'state:ENABLED', pageSize: PAGE_SIZE },
      }),
      read: async (desired, reads) => mapAnswer('services', await reads.enabledServices(textAt(desired, 'project_id'))),
    },
  ],
  urn: (desired) => `${URN}${textAt(desired, 'project_id')}/${textAt(desired, 'service')}`,
  beforeProject: URN,
  batchLimit: (change) => (change === 'delete' ? 1 : ENABLE_BATCH),
  batchKey: (desired) => `services:projects/${textAt(desired, 'project_id')}`,
  requests,
  fromForeign,
  containers: inProject,
  removal: (desired) => ({
    action: 'google.serviceusage.services.disable',
    input: { project_id: desired['project_id'] ?? null, service_name: desired['service'] ?? null },
  }),
  permissions: {
    create: ['serviceusage.services.enable'],
    update: ['serviceusage.services.enable'],
    delete: ['serviceusage.services.disable'],
    read: ['serviceusage.services.list'],
  },
  observe,
});

/** One service; the provider sends several of a project as one batch. Services that depend on it are never disabled with it. */
function requests({ change, desired }: ChangeContext): readonly ApiRequest[] {
  const [projectId, name] = [textAt(desired, 'project_id'), textAt(desired, 'service')];
  const path = `projects/${segment(projectId)}/services/${segment(name)}`;
  if (change === 'delete') {
    const body = { disableDependentServices: false, checkIfServiceHasUsage: 'SKIP' };
    return [
      {
        service: 'serviceusage',
        method: 'POST',
        path: `${path}:disable`,
        body,
        logical: { disable: name, project: projectId },
      },
    ];
  }
  return [
    {
      service: 'serviceusage',
      method: 'POST',
      path: `${path}:enable`,
      body: {},
      logical: { enable: name, project: projectId },
    },
  ];
}

async function observe(target: Target, reads: Reads): Promise<Observation> {
  if (isInsidePending(target)) return ABSENT;
  const [projectId, name] = [textAt(target.desired, 'project_id'), textAt(target.desired, 'service')];
  const enabled = await reads.enabledServices(projectId);
  if (enabled.kind === 'failed') return unreadable(enabled, target);
  const resource = enabled.value.get(name);
  return resource === undefined || (await isGoing(projectId, reads))
    ? ABSENT
    : found(resource, {
        actual: { project_id: projectId, service: name },
        state: 'ENABLED',
        warnings: target.forDelete ? [dependantsUnknown(target)] : [],
        blockers: target.forDelete ? knownDependants(target, enabled.value) : [],
      });
}

/** Enabled services that are known to need this one. They are no more than shown: what Google refuses is Google's word. */
function knownDependants(target: Target, enabled: ReadonlyMap<string, JsonObject>): readonly Diagnostic[] {
  const [projectId, name] = [textAt(target.desired, 'project_id'), textAt(target.desired, 'service')];
  return dependantsOf(name)
    .filter((dependant) => enabled.has(dependant))
    .map((dependant) =>
      diagnostic(
        'SERVICE_HAS_DEPENDENTS',
        `${dependant} needs ${name} and is enabled in ${projectId}; Google refuses to disable what an enabled service needs.`,
        {
          address: target.declaration.address,
          urn: `${URN}${projectId}/${dependant}`,
          severity: 'warning',
          hint: `Disable ${dependant} as well, in this plan or before.`,
        },
      ),
    );
}

/** Service Usage v1 tells no one what needs a service until it is asked to disable it. */
function dependantsUnknown({ declaration: { address, urn } }: Target): Diagnostic {
  const detail = 'Which enabled services need this one is only known when it is tried; nothing is cascaded.';
  return diagnostic('SERVICE_HAS_DEPENDENTS', detail, { address, urn, severity: 'note' });
}

/** The ancestor's adopt facts carry `{state}` alone; the URN has the rest. */
function fromForeign(urn: string, _desired: JsonObject): Foreign {
  const [, projectId, name] = /^google:serviceusage:service:([^/]+)\/(.+)$/.exec(urn) ?? [];
  return projectId === undefined || name === undefined
    ? null
    : { urn, desired: { project_id: projectId, service: name } };
}
