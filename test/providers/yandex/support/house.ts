import { readFile } from 'node:fs/promises';
import type { Playbook } from '../../../../src/core/step.ts';
import { loadPlaybook } from '../../../../src/playbook/load.ts';
import type { ProviderPool } from '../../../../src/providers/lifecycle-provider.ts';
import { yandexCatalogue } from '../../../../src/providers/yandex/catalogue.ts';
import { House } from '../../../support/in-memory/house.ts';
import { loadRequest } from '../../../support/load-request.ts';
import type { Cloud } from './cloud.ts';
import { GATEWAY, said } from './steps.ts';

export const CATALOGUES = new Map([['yandex', yandexCatalogue]]);

/** The gateway of fixtures/, edited. */
export async function playbook(edit: (text: string) => string = (text) => text): Promise<Playbook> {
  const result = await loadPlaybook(loadRequest(GATEWAY, edit(await readFile(GATEWAY, 'utf8')), CATALOGUES));
  if (result.playbook === null) throw new Error(said(result.diagnostics));
  return result.playbook;
}

/** The engine on a cloud, with a log in memory. */
export function houseOn(cloud: Cloud): House {
  const pool: ProviderPool = {
    open: () => Promise.resolve({ kind: 'open', provider: cloud.provider }),
    close: () => Promise.resolve(),
  };
  return new House({ catalogues: CATALOGUES, pool });
}
