import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exitOfApply, exitOfDiagnostics } from '../../../src/cli/exit-codes.ts';
import { hasChanges } from '../../../src/core/plan.ts';
import type { Fault } from '../../../src/emulator/google/options.ts';
import type { RunSettings } from '../../../src/engine/ports.ts';
import { type Ended, EngineHouse, type HouseOptions } from './engine-house.ts';
import { FOUNDATION_STEPS, isDone, shapeOf } from './foundation.ts';

const DONE = new Set(['changed', 'noop']);
const CREATED = ['folders[00-shared]', 'folders[10-platform]', 'dns'];

export interface Situation {
  readonly fault: Fault;
  readonly house?: HouseOptions;
  readonly settings?: Partial<RunSettings>;
}

export type Undisturbed = Awaited<ReturnType<typeof undisturbed>>;

/** Requests of an undisturbed apply, and what the world looks like after it. */
export async function undisturbed(options: HouseOptions = {}) {
  const house = await EngineHouse.open(options);
  try {
    const reviewed = await house.plan();
    house.emulator.resetRequests();
    const ended = await house.apply(reviewed.plan.digest ?? '');
    if (ended.kind !== 'applied' || exitOfApply(ended.report) !== 0)
      throw new Error(`the fixture does not apply: ${describe(ended)}`);
    return { requests: [...house.emulator.requests], shape: shapeOf(house.emulator.snapshot()), reviewed };
  } finally {
    await house.close();
  }
}

/** Applies under a fault, then again without it; every broken promise in words. */
export async function problemsUnder(
  situation: Situation,
  { shape, reviewed }: Undisturbed,
): Promise<readonly string[]> {
  const house = await EngineHouse.open({ ...situation.house, reviewed });
  const problems: string[] = [];
  try {
    const digest = reviewed.plan.digest ?? '';
    const before = shapeOf(house.emulator.snapshot());
    // Nobody changed anything: that something can't be read is no reason to review again, but that it can't be seen is one.
    const hides = situation.fault.action.kind === 'respond' && situation.fault.action.status === 403;
    house.emulator.addFault(situation.fault);
    const first = await house.apply(digest, situation.settings);
    problems.push(...(await claims(house, first, before, hides)).map((text) => `under the fault: ${text}`));
    house.emulator.clearFaults();
    const second = await house.apply(digest, situation.settings);
    problems.push(...(await claims(house, second, before, false)).map((text) => `the re-run: ${text}`));
    problems.push(...(await convergence(house, second, shape)).map((text) => `${text} (first: ${describe(first)})`));
  } finally {
    await house.close();
  }
  return problems;
}

/** What the run says and recorded, against the world. */
async function claims(
  house: EngineHouse,
  ended: Ended,
  before: unknown,
  mayBeStale: boolean,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const snapshot = house.emulator.snapshot();
  const facts = (await house.rows()).flatMap(({ provider_fact: fact, type }) =>
    type === 'provider.fact' && fact !== undefined ? [fact] : [],
  );
  for (const { step = '', outcome } of facts)
    if (DONE.has(outcome) && !isDone(step, snapshot))
      problems.push(`the log has ${outcome} for ${step}, and it is not done`);
  if (ended.kind === 'refused') {
    const code = exitOfDiagnostics(ended.diagnostics);
    if (code === 0 || code === 1) problems.push(`refused with exit ${code}: ${describe(ended)}`);
    if (ended.diagnostics.some(({ detail }) => detail === '')) problems.push('refused without a word');
    if (!mayBeStale && ended.diagnostics.some(({ code: found }) => found === 'DIGEST_STALE'))
      problems.push('it blames the digest');
    if (facts.length === 0 && JSON.stringify(shapeOf(snapshot)) !== JSON.stringify(before))
      problems.push('refused, and yet the world changed');
  } else {
    problems.push(...reported(ended.report, snapshot, new Set(facts.map(({ step }) => step ?? ''))));
  }
  await house.log.verify().catch((error: unknown) => problems.push(`the chain is broken: ${String(error)}`));
  const locks = await readdir(join(house.folder, 'locks')).catch(() => []);
  if (locks.length > 0) problems.push(`left in locks/: ${locks.join(', ')}`);
  return problems;
}

function reported(
  report: Extract<Ended, { kind: 'applied' }>['report'],
  snapshot: unknown,
  recorded: ReadonlySet<string>,
): readonly string[] {
  const problems: string[] = [];
  const allDone = report.steps.every(({ outcome }) => DONE.has(outcome));
  const code = exitOfApply(report);
  if (allDone !== (code === 0)) problems.push(`exit ${code} with ${JSON.stringify(report.summary)}`);
  if (code === 1) problems.push('a bug was reported');
  for (const { address, outcome, diagnostics } of report.steps) {
    const done = isDone(address, snapshot);
    if (DONE.has(outcome) && !done) problems.push(`false success: ${address} ${outcome}`);
    if (outcome === 'changed' && !recorded.has(address)) problems.push(`${address} changed, and the log has no fact`);
    if (['failed', 'blocked', 'skipped', 'refused'].includes(outcome) && done)
      problems.push(`false failure: ${address} ${outcome} (${diagnostics.map(({ detail }) => detail).join('; ')})`);
    if (['failed', 'uncertain', 'pending'].includes(outcome) && diagnostics.every(({ detail }) => detail === ''))
      problems.push(`${address} ${outcome} without a word`);
    if (['uncertain', 'pending'].includes(outcome) && code !== 7)
      problems.push(`${address} ${outcome}, and exit ${code}`);
  }
  return problems;
}

async function convergence(house: EngineHouse, ended: Ended, shape: unknown): Promise<readonly string[]> {
  const problems: string[] = [];
  if (ended.kind !== 'applied' || exitOfApply(ended.report) !== 0)
    return [`the re-run did not converge: ${describe(ended)}`];
  const snapshot = house.emulator.snapshot();
  if (JSON.stringify(shapeOf(snapshot)) !== JSON.stringify(shape))
    problems.push(`another world: ${JSON.stringify(shapeOf(snapshot))}`);
  const { plan } = await house.plan();
  if (hasChanges(plan)) problems.push(`something is left to do: ${JSON.stringify(plan.summary)}`);
  const { model, openIntents } = await house.log.read(plan.target);
  if (openIntents.length > 0)
    problems.push(`open intents: ${openIntents.map(({ intent }) => intent.address).join(', ')}`);
  if (model.owned.size !== FOUNDATION_STEPS.length) problems.push(`owned: ${[...model.owned.keys()].join(', ')}`);
  for (const address of CREATED) {
    const urn = plan.steps.find((step) => step.address === address)?.urn ?? '';
    const origin = model.owned.get(urn)?.origin;
    if (origin !== 'created') problems.push(`${address} was created by us and is recorded as ${origin ?? 'not ours'}`);
  }
  return problems;
}

export function describe(ended: Ended): string {
  if (ended.kind === 'refused') {
    const differences = ended.differences.map(
      ({ address, field, then, now }) => `${address} ${field}: ${then} -> ${now}`,
    );
    return `refused: ${[...ended.diagnostics.map(({ code, detail }) => `${code} ${detail}`), ...differences].join('; ')}`;
  }
  const { report } = ended;
  const trouble = report.steps.flatMap(({ address, outcome, diagnostics }) =>
    DONE.has(outcome) ? [] : [`${address} ${outcome} ${diagnostics.map(({ code }) => code).join(' ')}`],
  );
  return trouble.length === 0 ? 'all done' : trouble.join(', ');
}

/** Runs a body for each item, a few at once; results in the items' order. */
export async function pooled<Item, Result>(
  items: readonly Item[],
  width: number,
  body: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) results[index] = await body(item);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
