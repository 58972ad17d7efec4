import { holds, requirePermission } from '../access.ts';
import { invalidArgument } from '../wire/errors.ts';
import { type Json, stringAt } from '../wire/json.ts';
import { compareText, page } from '../wire/paging.ts';
import { PAGING, parameter } from '../wire/query-parameters.ts';
import { message } from '../wire/request-decoder.ts';
import { type Call, pageSizeOf, param, type Route } from '../wire/route.ts';
import type { BillingAccount } from '../world/state.ts';

export const PAGE_SIZES = { usual: 100, most: 100 };
const GET = 'billing.accounts.get';

/** Billing writes zero values out, unlike the other two services. */
function accountJson(account: BillingAccount): Json {
  const { name, open, displayName, masterBillingAccount, parent } = account;
  return { name, open, displayName, masterBillingAccount, parent, currencyCode: 'USD' };
}

/** `billingAccounts/X` of a well-formed X. */
export function checkAccountName(name: string): string {
  if (!/^billingAccounts\/[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$/.test(name)) throw invalidArgument();
  return name;
}

export function requireAccount(call: Call, name: string, permission: string): BillingAccount {
  requirePermission(call, checkAccountName(name), permission);
  const account = call.world.state.billingAccounts[name];
  if (account === undefined) throw new Error(`${name} passed its permission check but is missing`);
  return account;
}

function getAccount(call: Call): Json {
  return accountJson(requireAccount(call, `billingAccounts/${param(call, 'account')}`, GET));
}

function patchAccount(call: Call): Json {
  const account = requireAccount(call, `billingAccounts/${param(call, 'account')}`, 'billing.accounts.update');
  const mask = parameter(call.query, 'updateMask');
  if (mask !== undefined && mask !== 'displayName' && mask !== 'display_name') throw invalidArgument();
  account.displayName = stringAt(call.body, 'displayName') ?? account.displayName;
  call.world.touch();
  return accountJson(account);
}

/** What the caller may view; none at all is an ordinary answer. */
function pageOfAccounts(call: Call, accounts: readonly BillingAccount[], scope: readonly (string | undefined)[]): Json {
  const visible = accounts
    .filter((account) => holds(call.world, call.principal, account.name, GET))
    .sort((left, right) => compareText(left.name, right.name));
  const { items, nextPageToken } = page(visible, (account) => account.name, {
    scope: ['billingAccounts', ...scope],
    pageSize: pageSizeOf(call, sizeAsked(call), PAGE_SIZES),
    pageToken: parameter(call.query, 'pageToken'),
  });
  return { billingAccounts: items.map(accountJson), nextPageToken: nextPageToken ?? '' };
}

export function sizeAsked(call: Call): number | undefined {
  const size = parameter(call.query, 'pageSize');
  return size === undefined ? undefined : Number(size);
}

function listAccounts(call: Call): Json {
  const filter = parameter(call.query, 'filter') ?? '';
  const parent =
    call.params['organization'] === undefined
      ? parameter(call.query, 'parent')
      : `organizations/${call.params['organization']}`;
  const master = /^master_billing_account\s*=\s*"?(billingAccounts\/[0-9A-F-]+)"?$/.exec(filter)?.[1];
  if (filter !== '' && master === undefined) throw invalidArgument();
  const accounts = Object.values(call.world.state.billingAccounts)
    .filter((account) => master === undefined || account.masterBillingAccount === master)
    .filter((account) => parent === undefined || parent === '' || account.parent === parent);
  return pageOfAccounts(call, accounts, [filter, parent]);
}

function listSubAccounts(call: Call): Json {
  const master = requireAccount(call, `billingAccounts/${param(call, 'account')}`, GET);
  const accounts = Object.values(call.world.state.billingAccounts).filter(
    (account) => account.masterBillingAccount === master.name,
  );
  return pageOfAccounts(call, accounts, ['sub', master.name]);
}

const ACCOUNT = message({
  name: 'string',
  open: 'bool',
  displayName: 'string',
  masterBillingAccount: 'string',
  parent: 'string',
  currencyCode: 'string',
});
const service = 'cloudbilling' as const;
const rpc = 'google.cloud.billing.v1.CloudBilling';
const one = '/v1/billingAccounts/{account}';
const LIST = { filter: 'string', parent: 'string', ...PAGING } as const;

export const billingAccountRoutes: readonly Route[] = [
  {
    service,
    method: 'GET',
    path: '/v1/billingAccounts',
    rpc: `${rpc}.ListBillingAccounts`,
    query: LIST,
    handle: listAccounts,
  },
  {
    service,
    method: 'GET',
    path: '/v1/organizations/{organization}/billingAccounts',
    rpc: `${rpc}.ListBillingAccounts`,
    query: LIST,
    handle: listAccounts,
  },
  {
    service,
    method: 'GET',
    path: `${one}/subAccounts`,
    rpc: `${rpc}.ListBillingAccounts`,
    query: LIST,
    handle: listSubAccounts,
  },
  { service, method: 'GET', path: one, rpc: `${rpc}.GetBillingAccount`, handle: getAccount },
  {
    service,
    method: 'PATCH',
    path: one,
    rpc: `${rpc}.UpdateBillingAccount`,
    query: { updateMask: 'string' },
    body: ACCOUNT,
    bodyField: 'account',
    handle: patchAccount,
  },
];
