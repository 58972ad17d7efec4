import { projectIdField } from '../common-inputs.ts';
import { textAt } from '../inputs.ts';
import { defineBinding } from './binding.ts';

export const projectBinding = defineBinding({
  holder: 'project',
  prefix: 'cloudresourcemanager.projects',
  input: [projectIdField],
  resource: (values) => (values['project_id'] === undefined ? undefined : `projects/${textAt(values, 'project_id')}`),
  inputOf: (resource) => ({ project_id: resource.slice('projects/'.length) }),
  permissions: {
    create: ['resourcemanager.projects.getIamPolicy', 'resourcemanager.projects.setIamPolicy'],
    update: ['resourcemanager.projects.getIamPolicy', 'resourcemanager.projects.setIamPolicy'],
    delete: ['resourcemanager.projects.getIamPolicy', 'resourcemanager.projects.setIamPolicy'],
    read: ['resourcemanager.projects.getIamPolicy'],
  },
});
