import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { runInfra } from '../support/cli-host.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FOLDERS = 'google.cloudresourcemanager.folders.ensure';
const failureSchema = z.object({
  diagnostics: z.array(z.object({ code: z.string(), source: z.object({ line: z.number() }).nullable() })),
});

/** A step a line, the first one on line 5 (below the defaults). */
function step(name: string, action: string, input: string, { beside = '', tool = '' } = {}): string {
  return `  - { step: ${name}, ${beside}tool: { kind: provider, provider: google, action: ${action}, ${tool}input: { ${input} } } }`;
}

const folder = (name: string, more = {}) => step(name, FOLDERS, `parent: organizations/1, display_name: ${name}`, more);
const BAD_ID = step(
  'bad_id',
  'google.cloudresourcemanager.projects.ensure',
  'parent: organizations/1, project_id: BAD',
);
const CIRCLE = [
  folder('one', { beside: 'depends_on: [two], ' }),
  folder('two', { beside: 'depends_on: [one], ' }),
  folder('three', { beside: 'depends_on: [three], ' }),
];
const TWICE = [
  step('first', FOLDERS, 'parent: organizations/1, display_name: same', { tool: 'reconcile: enforce, ' }),
  step('again', FOLDERS, 'parent: organizations/1, display_name: same', { tool: 'reconcile: enforce, ' }),
];

async function mistakesIn(defaults: string, steps: readonly string[], flags: readonly string[] = []) {
  const cwd = temporaryFolder();
  const head = `apiVersion: infra/v1\nmetadata: { name: mixed }\ndefaults: { ${defaults} }\nworkflow:\n`;
  writeFileSync(join(cwd, 'p.yaml'), `${head}${steps.join('\n')}\n`);
  const { code, stdout } = await runInfra(['plan', 'p.yaml', '--offline', '--format', 'json', ...flags], { cwd });
  expect(code).toBe(3);
  return failureSchema.parse(JSON.parse(stdout)).diagnostics.map((item) => `${item.code} ${item.source?.line ?? ''}`);
}

it('an input, each circle and one resource twice are told in one run, as is a target that is not there', async () => {
  const found = await mistakesIn(
    'stack: s',
    [BAD_ID, ...CIRCLE, ...TWICE],
    ['--target', 'first', '--target', 'nowhere'],
  );
  expect(found).toEqual(['UNKNOWN_STEP ', 'INVALID_VALUE 5', 'CYCLE 6', 'CYCLE 8']);
  expect(await mistakesIn('stack: s', [BAD_ID, ...CIRCLE, ...TWICE])).toEqual([
    'INVALID_VALUE 5',
    'CYCLE 6',
    'CYCLE 8',
    'DUPLICATE_URN 10',
  ]);
});

it.each([
  ['reconcile: enforze', 'INVALID_VALUE 3'],
  ['dry_run: perhaps', 'INVALID_VALUE 3'],
  ['protect: perhaps', 'INVALID_VALUE 3'],
  ['poll: { max_attempts: none }', 'INVALID_VALUE 3'],
  ['auth: { type: nothing }', 'INVALID_VALUE 3'],
  ['guard: { require_org: none }', 'INVALID_VALUE 3'],
  ['gard: {}', 'UNKNOWN_KEY 3'],
])('defaults with %s hide nothing of the steps under them', async (defaults, told) => {
  const undefinedName = step('undefined', FOLDERS, `parent: organizations/1, display_name: '{{ workload.none }}'`);
  expect(await mistakesIn(defaults, [BAD_ID, ...CIRCLE, undefinedName])).toEqual([
    told,
    'INVALID_VALUE 5',
    'CYCLE 6',
    'CYCLE 8',
    'TEMPLATE_UNDEFINED 9',
  ]);
});

it('a broken guard does not make an organisation seem to be missing', async () => {
  const below = step('below', FOLDERS, 'parent: folders/by-display-name/Shared, display_name: below');
  expect(await mistakesIn('guard: { require_org: none }', [below])).toEqual(['INVALID_VALUE 3']);
  expect(await mistakesIn('stack: s', [below])).toEqual(['MISSING_KEY 5']);
});

it('a circle is told where its steps have other mistakes, too', async () => {
  const one = step('one', FOLDERS, "parent: organizations/1, display_name: '{{ workload.none }}'", {
    beside: 'depends_on: [two], ',
  });
  expect(await mistakesIn('stack: s', [one, folder('two', { beside: 'depends_on: [one], ' })])).toEqual([
    'CYCLE 5',
    'TEMPLATE_UNDEFINED 5',
  ]);
});
