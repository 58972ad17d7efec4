import { folderField, treeField } from '../common-inputs.ts';
import { defineBinding } from './binding.ts';

export const folderBinding = defineBinding({
  holder: 'folder',
  prefix: 'cloudresourcemanager.folders',
  input: [folderField, treeField],
  resource: (values) => values['folder'],
  inputOf: (resource) => ({ folder: resource }),
  placeKey: 'resource',
  permissions: {
    create: ['resourcemanager.folders.getIamPolicy', 'resourcemanager.folders.setIamPolicy'],
    update: ['resourcemanager.folders.getIamPolicy', 'resourcemanager.folders.setIamPolicy'],
    delete: ['resourcemanager.folders.getIamPolicy', 'resourcemanager.folders.setIamPolicy'],
    read: ['resourcemanager.folders.getIamPolicy'],
  },
});
