import { organizationField } from '../common-inputs.ts';
import { defineBinding } from './binding.ts';

export const organizationBinding = defineBinding({
  holder: 'organization',
  prefix: 'cloudresourcemanager.organizations',
  input: [organizationField],
  resource: (values) => values['organization'],
  inputOf: (resource) => ({ organization: resource }),
  permissions: {
    create: ['resourcemanager.organizations.getIamPolicy', 'resourcemanager.organizations.setIamPolicy'],
    update: ['resourcemanager.organizations.getIamPolicy', 'resourcemanager.organizations.setIamPolicy'],
    delete: ['resourcemanager.organizations.getIamPolicy', 'resourcemanager.organizations.setIamPolicy'],
    read: ['resourcemanager.organizations.getIamPolicy'],
  },
});
