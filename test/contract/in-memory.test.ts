import { PROVIDER } from '../support/in-memory/actions.ts';
import { memoryCatalogue } from '../support/in-memory/catalogue.ts';
import { MemoryCloud } from '../support/in-memory/cloud.ts';
import type { Providers } from '../support/in-memory/house.ts';
import { box, dropBox, dropGrant, grant, grantUrn, readBox, shelf, stepOf } from '../support/in-memory/playbooks.ts';
import { MemoryPool } from '../support/in-memory/provider.ts';
import { type ContractWorld, providerContract } from './provider.contract.ts';

function providersOf(cloud: MemoryCloud): Providers {
  return { catalogues: new Map([[PROVIDER, memoryCatalogue]]), pool: new MemoryPool(cloud) };
}

const close = async () => undefined;

providerContract('the in-memory box', async (): Promise<ContractWorld> => {
  const cloud = new MemoryCloud();
  return {
    providers: providersOf(cloud),
    ensure: (overrides) => box('it', { title: 'T', labels: { mine: '1' } }, overrides),
    ensureOther: () => box('it', { title: 'U', labels: { mine: '2' } }),
    remove: () => dropBox('it', { address: 'drop' }),
    list: () => ({ step: readBox('look', 'it'), names: '"it"' }),
    changeOutside: async () => cloud.changeBox('it', { title: 'theirs' }),
    makeOutside: async () => void cloud.addBox('it', { title: 'T', labels: { mine: '1' } }),
    forbid: () => cloud.hidden.add('it'),
    close,
  };
});

providerContract('the in-memory shelf', async (): Promise<ContractWorld> => {
  const cloud = new MemoryCloud();
  return {
    providers: providersOf(cloud),
    ensure: (overrides) => shelf('it', { note: 'n' }, overrides),
    ensureOther: () => shelf('it', { note: 'm' }),
    remove: () => stepOf('drop', 'mem.store.shelves.delete', { parent: 'organizations/1', title: 'it' }),
    list: () => null,
    changeOutside: async () => {
      for (const found of cloud.shelves.values()) cloud.shelves.set(found.id, { ...found, title: 'theirs' });
    },
    makeOutside: async () => void cloud.addShelf('organizations/1', 'it', 'n'),
    forbid: () => cloud.hidden.add('it'),
    close,
  };
});

providerContract('the in-memory grant', async (): Promise<ContractWorld> => {
  const cloud = new MemoryCloud();
  cloud.addBox('base');
  return {
    providers: providersOf(cloud),
    ensure: (overrides) => grant('it', { box: 'base' }, overrides),
    ensureOther: () => null,
    remove: () => dropGrant('drop', { box: 'base' }),
    list: () => null,
    changeOutside: async () => cloud.grants.clear(),
    makeOutside: async () => void cloud.grants.add(grantUrn('base')),
    forbid: () => cloud.hidden.add('grants:base'),
    close,
  };
});
