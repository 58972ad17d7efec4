import { billingAccountField } from '../common-inputs.ts';
import { defineBinding } from './binding.ts';

export const billingAccountBinding = defineBinding({
  holder: 'billing_account',
  prefix: 'cloudbilling.billing_accounts',
  input: [billingAccountField({ required: true, isStatic: true })],
  resource: (values) => values['billing_account'],
  inputOf: (resource) => ({ billing_account: resource }),
  permissions: {
    create: ['billing.accounts.getIamPolicy', 'billing.accounts.setIamPolicy'],
    update: ['billing.accounts.getIamPolicy', 'billing.accounts.setIamPolicy'],
    delete: ['billing.accounts.getIamPolicy', 'billing.accounts.setIamPolicy'],
    read: ['billing.accounts.getIamPolicy'],
  },
});
