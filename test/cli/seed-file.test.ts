import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseSeed, parseYcSeed } from '../../src/cli/seed-file.ts';
import { ROOT } from '../support/cli-process.ts';

const GOOGLE = {
  organizations: [{ id: '123456789012', displayName: 'acme.example' }],
  billingAccounts: [{ id: '0A1B2C-3D4E5F-6A7B8C', open: true, projectCap: 5 }],
  folders: [{ id: '10', displayName: 'media', parent: 'organizations/123456789012', state: 'ACTIVE' }],
  projects: [{ projectId: 'acme-web', number: '77', labels: { env: 'prod' }, services: ['run.googleapis.com'] }],
  policies: [{ resource: 'projects/acme-web', policy: { bindings: [], etag: 'x' } }],
  knownServices: ['run.googleapis.com'],
};
const YC = {
  folders: [{ id: 'b1gfolder', name: 'f', status: 'ACTIVE', forbidden: false }],
  images: [{ id: 'fd8image', minDiskGib: 5 }],
  profiles: ['default'],
  knobs: { dialect: '1.x', quotas: { 'vpc.networks.count': 2 }, statusLagReads: 1, deleteOutput: '{}' },
};

it('what is written as it should be is taken as it is', () => {
  expect(parseSeed(GOOGLE)).toEqual(GOOGLE);
  expect(parseYcSeed(YC)).toEqual(YC);
});

it.each([
  ['google', parseSeed],
  ['yc', parseYcSeed],
] as const)('the seed that docs/emulator.md shows for %s is one', (name, parseIt) => {
  const docs = readFileSync(join(ROOT, 'docs/emulator.md'), 'utf8');
  const shown = new RegExp(`<!-- seed:${name} -->\n\`\`\`yaml\n([\\s\\S]*?)\`\`\``).exec(docs)?.[1] ?? '';
  expect(Object.keys(parseIt(parse(shown))).length).toBeGreaterThan(2);
});

it.each([
  ['a text', 'nothing', 'the seed: must be a mapping'],
  ['an unknown key', { folder: [] }, 'folder: no such key'],
  [
    'an unknown key inside',
    { folders: [{ id: '1', displayName: 'a', parent: 'x', name: 'y' }] },
    'folders.0.name: no such key',
  ],
  ['no list', { projects: {} }, 'projects: must be a list'],
  ['no text', { knownServices: [1] }, 'knownServices.0: must be a text'],
  ['a missing key', { projects: [{}] }, 'projects.0.projectId: must be a text'],
  ['a state there is not', { projects: [{ projectId: 'p', state: 'GONE' }] }, '"ACTIVE" or "DELETE_REQUESTED"'],
  ['an id of another shape', { organizations: [{ id: 'acme', displayName: 'a' }] }, 'organizations.0.id: digits only'],
  ['a flag that is none', { billingAccounts: [{ id: '0A1B2C-3D4E5F-6A7B8C', open: 'yes' }] }, 'must be true or false'],
  ['labels that are none', { projects: [{ projectId: 'p', labels: [] }] }, 'projects.0.labels: must be a mapping'],
])('a seed of the Google emulator with %s says where', (_, value, says) => {
  expect(() => parseSeed(value)).toThrow(says);
});

it.each([
  ['a count below nothing', { knobs: { statusLagReads: -1 } }, 'knobs.statusLagReads: must be at least 0'],
  ['a part of a count', { knobs: { operationPolls: 1.5 } }, 'knobs.operationPolls: must be a whole number'],
  ['another dialect', { knobs: { dialect: '2.x' } }, 'knobs.dialect: must be "0.x" or "1.x"'],
  ['a quota that is no number', { knobs: { quotas: { a: 'b' } } }, 'knobs.quotas.a: must be a number'],
])('a seed of the fake yc with %s says where', (_, value, says) => {
  expect(() => parseYcSeed(value)).toThrow(says);
});
