import { expect, it } from 'vitest';
import { DiagnosticError } from '../../../src/core/diagnostics.ts';
import { runInventory } from '../../../src/engine/inventory.ts';
import { ImportHouse, ORG } from './support.ts';

it('lists a scope whole, or throws why it can not', async () => {
  const house = await ImportHouse.open({
    seed: {
      organizations: [{ id: '123456789012', displayName: 'acme.example' }],
      folders: [{ id: '10', displayName: '10-platform', parent: ORG }],
    },
  });
  const reader = house.reader();
  const { provider, scope, resources } = await runInventory({ reader });
  expect([provider, scope, resources.map(({ id }) => id)]).toEqual(['google', ORG, ['folders/10']]);
  house.emulator.addFault({ path: 'folders/10:getIamPolicy', action: { kind: 'respond', status: 403 } });
  await expect(runInventory({ reader })).rejects.toThrow(DiagnosticError);
});
