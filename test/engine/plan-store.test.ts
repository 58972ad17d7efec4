import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { planDigest } from '../../src/core/digest.ts';
import { type Plan, summarize } from '../../src/core/plan.ts';
import type { AuthSpec, Playbook } from '../../src/core/step.ts';
import { loadPlan, savePlan, storableSource } from '../../src/engine/plan-store.ts';
import { DEFAULT_OPTIONS } from '../../src/engine/ports.ts';
import type { PlanSource, StoredPlan } from '../../src/engine/stored-plan.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder = '';
beforeEach(() => {
  folder = join(temporaryFolder(), 'plans');
});

const digestInput = { verb: 'apply', target: 'cloud', stacks: ['prod'], steps: [{ address: 'a', change: 'create' }] };
const digest = planDigest(digestInput);
const plan: Plan = {
  format_version: '1.0',
  command: 'plan',
  mode: 'live',
  target: 'cloud',
  digest,
  stack: 'prod',
  stacks: ['prod'],
  playbook: { path: 'p.yaml', name: 'p', sha256: '0'.repeat(64) },
  summary: summarize([]),
  steps: [],
  batches: [],
  diagnostics: [],
};
const source: PlanSource = {
  path: 'p.yaml',
  fullPath: '/x/p.yaml',
  text: 'metadata: {}\n',
  sets: ['a=b'],
  workload: null,
};
const stored: StoredPlan = {
  verb: 'plan',
  options: { ...DEFAULT_OPTIONS, stack: 'prod' },
  source,
  savedAt: '2026-01-02T03:04:05.000Z',
  plan,
  digestInput,
};

describe('a stored plan', () => {
  it('comes back as it was kept, from a file for its owner alone', async () => {
    await savePlan(folder, stored);
    expect(readdirSync(folder)).toEqual([`${digest}.json`]);
    expect(statSync(join(folder, `${digest}.json`)).mode & 0o777).toBe(0o600);
    expect(await loadPlan(folder, digest)).toEqual(stored);
  });

  it('is replaced by the same plan made again', async () => {
    await savePlan(folder, stored);
    const later = { ...stored, savedAt: '2026-02-02T03:04:05.000Z' };
    await savePlan(folder, later);
    expect(await loadPlan(folder, digest)).toEqual(later);
  });

  it('needs a digest', async () => {
    await savePlan(folder, { ...stored, plan: { ...plan, digest: null } });
    expect(await loadPlan(folder, digest)).toBeNull();
  });

  it('that can not be kept says how to do without', async () => {
    writeFileSync(folder, 'a file in the way');
    await expect(savePlan(folder, stored)).rejects.toThrow('LOG_WRITE');
  });

  it.each<[string, (text: string) => string]>([
    ['nonsense', () => 'nonsense'],
    ['empty', () => ''],
    ['another digest', (text) => text.replaceAll(digest, 'f'.repeat(64))],
    ['other steps than its digest says', (text) => text.replace('"change":"create"', '"change":"delete"')],
    ['a verb that there is not', (text) => text.replace('"verb":"plan"', '"verb":"explode"')],
    ['options that are none', (text) => text.replace('"offline":false', '"offline":"no"')],
  ])('is not believed with %s', async (_name, change) => {
    await savePlan(folder, stored);
    const path = join(folder, `${digest}.json`);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    await expect(loadPlan(folder, digest)).rejects.toThrow('FILE_UNREADABLE');
  });

  it('is never read through a link', async () => {
    await savePlan(folder, stored);
    symlinkSync(join(folder, `${digest}.json`), join(folder, `${'e'.repeat(64)}.json`));
    await expect(loadPlan(folder, 'e'.repeat(64))).rejects.toThrow('UNSAFE_PATH');
  });
});

describe('the source of a plan', () => {
  const playbook = (auth: AuthSpec | null): Playbook => ({
    path: 'p.yaml',
    name: 'p',
    sha256: '',
    scope: { workload: {}, env: {} },
    // Nothing but auth is looked at.
    steps: [{ auth } as Playbook['steps'][number]],
  });
  const auth: AuthSpec = { type: 'bearer', credential: null, scopes: [], token: null, tokenEnv: 'INFRA_TOKEN' };

  it('is kept where nothing in it is secret', () => {
    const text = 'auth: { type: bearer, token_env: INFRA_TOKEN, credential: admin }\nnext: "{{ workload.password }}"\n';
    expect(storableSource({ ...source, text }, playbook(auth), new Set(['0123456789']))).toMatchObject({ text });
  });

  it.each([
    ['a step with a token', source, { ...auth, token: 'abc' }],
    ['a token in a step of another kind', { ...source, text: 'headers:\n  Authorization: Bearer abc\n' }, null],
    ['a token in one line', { ...source, text: 'auth: {type: bearer, "token": abc}' }, null],
    ['a password in the workload file', { ...source, workload: 'db_password: hunter2\n' }, null],
    ['a token of the caller in a comment', { ...source, text: '# 0123456789\n' }, auth],
    ['a secret in a --set', { ...source, sets: ['db.secret=hunter2'] }, null],
  ])('is left out with %s', (_name, given, used) => {
    expect(storableSource(given, playbook(used), new Set(['0123456789']))).toEqual({
      ...given,
      text: null,
      sets: [],
      workload: null,
    });
  });
});
