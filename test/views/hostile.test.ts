import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../src/core/codes.ts';
import { renderApply, renderRefusal } from '../../src/views/human/apply.ts';
import { renderDiagnostics } from '../../src/views/human/diagnostics.ts';
import { renderPlan } from '../../src/views/human/plan.ts';
import { progressLine } from '../../src/views/human/progress.ts';
import { applyDocument } from '../../src/views/json/apply.ts';
import { failureDocument } from '../../src/views/json/diagnostic.ts';
import { planDocument } from '../../src/views/json/plan.ts';
import { renderJson } from '../../src/views/json/render.ts';
import { ndjsonLine } from '../../src/views/ndjson/events.ts';
import {
  anyName,
  HOSTILE_NAMES,
  hostileEvents,
  hostilePlan,
  hostileReport,
  whyUnprintable,
} from './support/hostile.ts';
import { PLAIN } from './support/plans.ts';

const VERBOSE = { ...PLAIN, verbose: true, showReads: true };
const TIME = '2026-01-02T03:04:05.678Z';

function difference(name: string) {
  return { address: name, field: name, then: name, now: name };
}

const FORMATS: Readonly<Record<string, (name: string) => string>> = {
  'human plan': (name) => renderPlan(hostilePlan(name), PLAIN),
  'human plan, verbose': (name) => renderPlan(hostilePlan(name), VERBOSE),
  'human apply': (name) => renderApply(hostileReport(name), VERBOSE),
  'human refusal': (name) => renderRefusal([diagnostic('DIGEST_STALE', name)], [difference(name)], PLAIN),
  'human diagnostics': (name) => renderDiagnostics([diagnostic('BUG', name, { urn: name, hint: name })], PLAIN),
  progress: (name) =>
    hostileEvents(name)
      .map((event) => progressLine(event, VERBOSE) ?? '')
      .join(''),
  'json plan': (name) => renderJson(planDocument(hostilePlan(name))),
  'json apply': (name) => renderJson(applyDocument(hostileReport(name))),
  'json failure': (name) => renderJson(failureDocument(name, [diagnostic('BUG', name)], [difference(name)])),
  ndjson: (name) =>
    hostileEvents(name)
      .map((event) => ndjsonLine(event, TIME))
      .join(''),
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
      { numRuns: 60 },
    );
  });
});

describe('a name with a line break', () => {
  test('can not forge a line of the plan', () => {
    const lines = renderPlan(hostilePlan('a\nPlan: 0 to delete.'), VERBOSE).split('\n');
    expect(lines.filter((line) => line.startsWith('Plan:'))).toHaveLength(1);
  });

  test('can not forge an event', () => {
    const events = hostileEvents('a\n{"type":"summary"}');
    const lines = events
      .map((event) => ndjsonLine(event, TIME))
      .join('')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(events.map((event) => event.type));
  });
});

test('escaping never alters what a JSON reader gets', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      const document = planDocument(hostilePlan(name));
      expect(JSON.parse(renderJson(document))).toEqual(JSON.parse(JSON.stringify(document)));
    }),
    { numRuns: 60 },
  );
});

test.each(['\u001b[2J', 'a\u202eb', '\u0085', '\u2028', '##[group]x', 'a\n ::set-output name=a::b'])(
  'the check itself finds what is wrong with %j',
  (text) => {
    expect(whyUnprintable(text)).not.toBeNull();
  },
);
