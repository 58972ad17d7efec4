import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../src/emulator/google/options.ts';
import { pooled, undisturbed } from '../support/safety/converging.ts';
import { FOUNDATION_STEPS, shapeOf } from '../support/safety/foundation.ts';
import { type Ended, Site, type StartOptions, until } from '../support/safety/site.ts';

const PRELOAD = fileURLToPath(new URL('../support/safety/kill-at-append.cjs', import.meta.url));
const WIDTH = 3;
const APPLY = ['--format', 'json', '--parallelism', '1'];

let requests: readonly RecordedRequest[] = [];
let shape: unknown;
beforeAll(async () => {
  ({ requests, shape } = await undisturbed());
});

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

type Kill = (site: Site, apply: (options?: StartOptions) => ReturnType<Site['start']>) => Promise<Ended>;

/** Kills an apply, then does what a user would; every broken promise in words. */
async function problemsAfter(kill: Kill): Promise<readonly string[]> {
  const site = await Site.open();
  sites.push(site);
  const digest = await site.plan();
  const killed = await kill(site, (options) => site.start(['apply', '--confirm', digest, ...APPLY], options));
  if (killed.signal !== 'SIGKILL') return [`it was not killed: exit ${killed.code} ${killed.stderr}`];
  const confirmed = await confirmedFacts(site);
  const problems: string[] = [];
  site.emulator.clearFaults();
  let ended = await site.runHere(['apply', '--confirm', digest, ...APPLY]);
  if (ended.code === 5) {
    const line = /infra unlock ([0-9a-f]{12})/.exec(ended.stderr)?.[1];
    if (line === undefined || !ended.stderr.includes('that process is dead')) return [`no way out: ${ended.stderr}`];
    const unlocked = await site.runHere(['unlock', line]);
    if (unlocked.code !== 0) return [`unlock: exit ${unlocked.code} ${unlocked.stderr}`];
    ended = await site.runHere(['apply', '--confirm', digest, ...APPLY]);
  } else if (site.rows().length > 0) problems.push('the lock of the killed run was no obstacle');
  if (ended.code !== 0) return [...problems, `the re-run: exit ${ended.code} ${ended.stderr}`];
  return [...problems, ...(await recovered(site, confirmed))];
}

async function recovered(site: Site, confirmed: ReadonlySet<string>): Promise<readonly string[]> {
  const problems: string[] = [];
  const found = JSON.stringify(shapeOf(site.emulator.snapshot()));
  if (found !== JSON.stringify(shape)) problems.push(`another world: ${found}`);
  const creates = site.emulator.requests.filter(
    ({ method, path, status }) => method === 'POST' && /\/v3\/(folders|projects)$/.test(path) && status === 200,
  );
  if (creates.length > 3) problems.push(`${creates.length} creates for two folders and a project`);
  await site
    .log()
    .verify()
    .catch((error: unknown) => problems.push(`the chain is broken: ${String(error)}`));
  // A dead append lock is no obstacle: the next append removes it.
  const locks = site.locks().filter((name) => name.startsWith('stack-'));
  if (locks.length > 0) problems.push(`locks are left: ${locks.join(', ')}`);
  const { model, openIntents } = await site.log().read(site.emulator.url);
  if (openIntents.length > 0) problems.push('an intent is open');
  if (model.owned.size !== FOUNDATION_STEPS.length) problems.push(`owned: ${model.owned.size}`);
  for (const urn of confirmed) if (!model.owned.has(urn)) problems.push(`lost: ${urn}`);
  for (const { origin, urn, resourceType } of model.owned.values())
    if (
      (resourceType === 'folder' || urn.endsWith(':acme-dns-prod')) &&
      resourceType !== 'billing-link' &&
      origin !== 'created'
    )
      problems.push(`${urn} is recorded as ${origin}`);
  const again = await site.runHere(['plan', 'foundation.yaml', '--detailed-exitcode', '--no-save']);
  if (again.code !== 0) problems.push(`something is left to do: exit ${again.code}`);
  return problems;
}

async function confirmedFacts(site: Site): Promise<ReadonlySet<string>> {
  const { model } = await site.log().read(site.emulator.url);
  return new Set(model.owned.keys());
}

function killAtRequest(nth: number, kind: 'hang' | 'hangAfter'): Kill {
  return async (site, apply) => {
    site.emulator.addFault({ nth, action: { kind } });
    const { child, ended } = apply();
    await until(() => site.emulator.requests.length >= nth || child.exitCode !== null, `request ${nth}`);
    child.kill('SIGKILL');
    return ended;
  };
}

const isWrite = ({ method, path }: RecordedRequest): boolean => method !== 'GET' && !path.endsWith(':getIamPolicy');

describe('killed at a request', () => {
  it('before it was carried out', async () => {
    const numbers = requests.flatMap((request, index) => (isWrite(request) || index % 5 === 0 ? [index + 1] : []));
    const problems = await pooled(numbers, WIDTH, async (nth) =>
      (await problemsAfter(killAtRequest(nth, 'hang'))).map((problem) => `${nth}: ${problem}`),
    );
    expect(problems.flat()).toEqual([]);
  });

  it('after it was carried out, before its answer', async () => {
    const numbers = requests.flatMap((request, index) => (isWrite(request) ? [index + 1] : []));
    const problems = await pooled(numbers, WIDTH, async (nth) =>
      (await problemsAfter(killAtRequest(nth, 'hangAfter'))).map((problem) => `${nth}: ${problem}`),
    );
    expect(problems.flat()).toEqual([]);
  });
});

/** An apply one step at a time writes an intent, then an outcome, for ten groups of steps. */
const OUTCOMES = Array.from({ length: 10 }, (_, index) => 2 * index + 2);

describe('killed at a write to the log', () => {
  it.each([
    // After a whole intent nothing happens before its request, where it is killed above.
    ['half', [1, 3, ...OUTCOMES]],
    ['whole', OUTCOMES],
  ] as const)('when %s of it was in the file', async (moment, appends) => {
    const problems = await pooled(appends, WIDTH, async (nth) => {
      const kill: Kill = (_site, apply) =>
        apply({ preload: PRELOAD, env: { KILL_AT_APPEND: `${nth}:${moment}` } }).ended;
      return (await problemsAfter(kill)).map((problem) => `${nth}: ${problem}`);
    });
    expect(problems.flat()).toEqual([]);
  });
});
