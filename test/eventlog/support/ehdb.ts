import { type Diagnostic, DiagnosticError } from '../../../src/core/diagnostics.ts';
import type { ProviderFact } from '../../../src/core/facts.ts';
import { type EhdbLogOptions, openEhdbLog } from '../../../src/eventlog/ehdb-http.ts';
import type { InspectableLog } from '../../../src/eventlog/inspectable-log.ts';
import { type TierRow, tierRow } from '../../support/ehdb/server.ts';
import { factOf } from './facts.ts';

/** Beyond 2^53: a double would make 1152921504606846980 of it. */
export const SNOWFLAKE = '1152921504606846977';

/** A `call.done` event around a fact, as a worker emits it. */
export function callDone(fact: ProviderFact): string {
  const text = JSON.stringify(fact).replace(/"execution_id":[^,}]+/, `"execution_id":${SNOWFLAKE}`);
  return `{"execution_id":"${SNOWFLAKE}","event_type":"call.done","context":{"result":{"context":{"data":{"provider_fact":${text}}}}}}`;
}

/** Row number `sequence`: that project was made. */
export function made(sequence: number, project = `p${sequence}`, transaction?: string): TierRow {
  return tierRow(sequence, callDone(factOf(project)), transaction);
}

export interface Waits {
  /** How long was slept, in milliseconds. */
  readonly slept: number[];
}

/** A log on a server of this test; nothing waits. */
export function openServerLog(
  url: string,
  options: Partial<EhdbLogOptions> = {},
): { readonly log: InspectableLog } & Waits {
  const slept: number[] = [];
  const timing = {
    sleep: async (ms: number) => {
      slept.push(ms);
    },
    random: () => 0.5,
  };
  return { log: openEhdbLog({ url, token: null, userAgent: 'infra/0', timing, ...options }), slept };
}

/** What a read was refused with; fails where it was not. */
export async function refusalOf(reading: Promise<unknown>): Promise<Diagnostic> {
  const error = await reading.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof DiagnosticError)) throw new Error('it was not refused');
  const [first] = error.diagnostics;
  if (first === undefined) throw new Error('a refusal says why');
  return first;
}
