import { organizationField } from '../common-inputs.ts';
import { defineReads, nameSegments } from '../define-resource.ts';
import { present, textAt } from '../inputs.ts';
import { ORGANIZATION } from '../result-shapes.ts';

/** Organisations are only read: they come with a Cloud Identity account and can't be made by this API. */
export const organization = defineReads({
  type: 'organization',
  service: 'cloudresourcemanager',
  actions: [
    {
      name: 'cloudresourcemanager.organizations.get',
      kind: 'read',
      converge: 'single',
      result: ORGANIZATION,
      input: [organizationField],
      declare: (values) => ({ desired: present({ organization: values['organization'] }), options: {} }),
      request: (desired) => ({ service: 'crm', method: 'GET', path: nameSegments(desired['organization']) }),
      read: (desired, reads) => reads.organization(textAt(desired, 'organization')),
    },
  ],
});
