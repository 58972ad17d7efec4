import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../src/core/codes.ts';
import type { HistoryEntry, OwnedReport } from '../../src/core/reports.ts';
import { renderAcceptedLines } from '../../src/views/human/accepted-lines.ts';
import { renderDrift } from '../../src/views/human/drift.ts';
import { renderForget } from '../../src/views/human/forget.ts';
import { renderHistory } from '../../src/views/human/history.ts';
import { renderOrphans } from '../../src/views/human/orphans.ts';
import { renderOwned } from '../../src/views/human/owned.ts';
import { driftDocument } from '../../src/views/json/drift.ts';
import { rowsDocument, verifyDocument } from '../../src/views/json/log.ts';
import { orphansDocument } from '../../src/views/json/orphans.ts';
import { renderJson } from '../../src/views/json/render.ts';
import { driftMarkdown } from '../../src/views/markdown/drift.ts';
import { failureMarkdown } from '../../src/views/markdown/failure.ts';
import { orphansMarkdown } from '../../src/views/markdown/orphans.ts';
import { anyName, HOSTILE_NAMES, whyUnprintable } from './support/hostile.ts';
import { PLAIN } from './support/plans.ts';
import { driftEntry, driftReport, orphanEntry, orphansReport } from './support/reports.ts';

const VERBOSE = { ...PLAIN, verbose: true };

function hostileDrift(name: string) {
  const about = {
    urn: name,
    stack: name,
    why: name,
    purge_time: name,
    diff: { [name]: { desired: name, actual: [name] } },
  };
  return driftReport(
    (['in_sync', 'missing', 'modified', 'untracked', 'not_managed', 'unchecked'] as const).flatMap((drift) => [
      driftEntry({ ...about, drift }),
      driftEntry({ ...about, drift, ignored: name }),
    ]),
    { target: name, diagnostics: [diagnostic('LOG_INVALID', name, { hint: name, urn: name })] },
  );
}

function hostileOrphans(name: string) {
  return orphansReport({
    target: name,
    stack: name,
    orphans: [orphanEntry({ urn: name, stack: name, resource_type: name, since: name, last_execution_id: name })],
    conflicts: [{ urn: name, stacks: [name, name] }],
    aliases: [{ resource_id: name, urns: [name, name] }],
    grants: [{ resource: name, role: name, member: name, condition: { title: name, [name]: name } }],
    diagnostics: [diagnostic('PERMISSION_DENIED', name, { source: { file: name, line: 1, column: 1 } })],
  });
}

function hostileOwned(name: string): OwnedReport {
  const item = { ...orphanEntry({ urn: name, stack: name, since: name }), provider: name, resource_id: name };
  const head = { format_version: '1.0', command: 'log owned', target: name, stack: null, at: name } as const;
  return { ...head, owned: [item], tombstoned: 1, diagnostics: [] };
}

function hostileHistory(name: string): readonly HistoryEntry[] {
  const fact = {
    urn: name,
    provider: name,
    service: name,
    resource_type: name,
    verb: 'ensure',
    stack: name,
    desired: name,
    execution_id: name,
    outcome: 'changed',
    step: name,
    resource_id: name,
    digest: name,
    renamed_from: name,
  } as const;
  const entry = { sequence: 1, recordedAt: name, actor: name, json: name };
  return [
    { ...entry, item: { kind: 'fact', fact } },
    { ...entry, item: { kind: 'intent', urn: name, address: name, operation: name } },
    { ...entry, item: { kind: 'outcome', intentSequence: 1, status: name, code: name, operationName: name } },
    { ...entry, item: { kind: 'other', type: name } },
  ];
}

function hostileForget(name: string, done: boolean) {
  const [item] = hostileOwned(name).owned;
  if (item === undefined) throw new Error('unreachable');
  const owned = {
    urn: name,
    stack: name,
    provider: name,
    service: name,
    resourceType: name,
    resourceId: name,
    lastDesired: name,
    lastExecutionId: 1,
    origin: null,
    began: 'said' as const,
    credential: null,
  };
  const [history] = hostileHistory(name);
  const fact = done && history?.item.kind === 'fact' ? history.item.fact : null;
  return {
    already: done,
    target: name,
    digest: 'ab'.repeat(32),
    owned,
    fact,
    head: 'x',
    command: 'infra forget x',
  };
}

const place = { file: 'p.yaml', line: 1, column: 2 };
const REMOVAL = (name: string) => ({ file: name, steps: 1, kept: [{ urn: name, why: name }] });

const FORMATS: Readonly<Record<string, (name: string) => string>> = {
  'human drift': (name) => renderDrift(hostileDrift(name), VERBOSE),
  'human orphans': (name) => renderOrphans(hostileOrphans(name), REMOVAL(name), VERBOSE),
  'human owned': (name) => renderOwned(hostileOwned(name), VERBOSE),
  'human history': (name) => renderHistory(hostileHistory(name), VERBOSE),
  'human forget': (name) =>
    renderForget(hostileForget(name, false), VERBOSE) + renderForget(hostileForget(name, true), VERBOSE),
  'human accepted lines': (name) =>
    renderAcceptedLines([
      { address: name, field: name, source: { ...place, file: name }, declared: name, accepted: null },
    ]),
  'json drift': (name) => renderJson(driftDocument(hostileDrift(name))),
  'json orphans': (name) => renderJson(orphansDocument(hostileOrphans(name))),
  'json rows': (name) => renderJson(rowsDocument(hostileHistory(name))),
  'markdown drift': (name) => driftMarkdown(hostileDrift(name)),
  'markdown orphans': (name) => orphansMarkdown(hostileOrphans(name)),
  'markdown failure': (name) => failureMarkdown('drift', [diagnostic('BUG', name, { hint: name, address: name })]),
};

describe.each(Object.entries(FORMATS))('%s', (_format, render) => {
  test.each(HOSTILE_NAMES)('prints %j harmlessly', (name) => {
    expect(whyUnprintable(render(name))).toBeNull();
  });

  test('no raw control character and no runner command ever leaves', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(whyUnprintable(render(name))).toBeNull();
      }),
      { numRuns: 40 },
    );
  });
});

const MARKUP = [
  'a | b',
  '<script>alert(1)</script>',
  '<!-- -->',
  '[link](https://evil.example)',
  '![image](https://evil.example/x.png)',
  '`code` **bold** _it_ ~~no~~',
  '@team @acme/owners',
  'fixes #1, acme/repo#2',
  'https://evil.example www.evil.example',
  '$x$ &amp; &#64;team',
  '\\| \\`',
];

describe.each(['markdown drift', 'markdown orphans', 'markdown failure'])('%s', (format) => {
  const render = FORMATS[format] ?? (() => '');

  test.each(MARKUP)('takes %j for text', (name) => {
    // What stands there with a harmless name is ours; nothing else may have a meaning.
    const strip = (text: string) => text.replaceAll(/<\/?code>|<br>/g, '').replaceAll(/&#\d+;/g, '·');
    const text = strip(render(name));
    expect(text).not.toMatch(/[<>`*~$[\]]/);
    expect(text).not.toMatch(/@\w|#\d|https?:|www\./);
    const cells = (markdown: string) =>
      markdown
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .map((line) => line.split('|').length);
    expect(cells(render(name))).toEqual(cells(render('plain')));
  });
});

test('drift is told by verdict, what is in sync only when asked', () => {
  const report = driftReport([
    driftEntry(),
    driftEntry({ urn: 'u:gone', drift: 'missing', purge_time: '2026-02-01T00:00:00Z', actual: null }),
    driftEntry({ urn: 'u:changed', drift: 'modified', fields: ['a'], diff: { a: { desired: 'x', actual: 'y' } } }),
    driftEntry({ urn: 'u:dark', drift: 'unchecked', why: 'The caller has no permission.', actual: null }),
    driftEntry({ urn: 'u:known', drift: 'modified', ignored: 'cost centre' }),
  ]);
  expect(renderDrift(report, PLAIN)).toBe(`Drift on the real cloud

Missing: owned, and gone (1)
  u:gone  (stack prod)
      deleted; it can be restored until 2026-02-01T00:00:00Z

Modified: not as it was last desired (1)
  u:changed  (stack prod)
      a: declared x, live y

Unchecked: could not be read, so nothing is known (1)
  u:dark  (stack prod)
      The caller has no permission.

Ignored (1)
  u:known  (stack prod)
      modified: cost centre

Drift: 1 in sync, 1 missing, 1 modified, 1 unchecked, 1 ignored.
1 resource could not be checked; the rest was.
`);
  expect(renderDrift(report, VERBOSE)).toContain('In sync (1)');
  expect(renderDrift(driftReport([]), PLAIN)).toContain('Nothing is owned here');
});

test('orphans are told with since when, and what keeps them', () => {
  const report = orphansReport({ orphans: [orphanEntry()], conflicts: [{ urn: 'u:c', stacks: ['a', 'b'] }] });
  expect(
    renderOrphans(report, { file: 'x.yaml', steps: 0, kept: [{ urn: 'u:k', why: 'protected' }] }, PLAIN),
  ).toBe(`Orphans of stack prod on the real cloud

Owned, and declared by no playbook (1)
  google:cloudresourcemanager:project:acme-old
      since 2026-01-01T00:00:00.000Z, execution 7, protected

Claimed by several stacks (1)
  u:c: a, b

1 orphan, 1 conflict; 1 protected.

Not to be deleted:
  u:k: protected

Nothing is to be deleted, so x.yaml was not written.
`);
  expect(renderOrphans(orphansReport(), null, PLAIN)).toContain('No orphans.');
});

test('a broken chain has all keys of the contract', () => {
  const firstBad = { line: 3, sequence: 3, why: 'its content does not match its hash' };
  const document = verifyDocument({
    ok: false,
    rows: 4,
    unsealed: 1,
    firstBad,
    head: null,
    headFound: null,
    diagnostics: [],
  });
  expect(document).toMatchObject({
    format_version: '1.0',
    command: 'log verify',
    ok: false,
    rows: 4,
    unsealed: 1,
    first_bad: firstBad,
  });
});
