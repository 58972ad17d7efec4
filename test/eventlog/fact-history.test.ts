import { expect, test } from 'vitest';
import type { ProviderFact } from '../../src/core/facts.ts';
import { factHistory } from '../../src/eventlog/fact-history.ts';
import type { HasHistory, HistoryRow } from '../../src/eventlog/history.ts';

interface Row {
  readonly urn: string;
  readonly sequence?: number;
  readonly at?: string;
  readonly target?: string;
  readonly key?: string;
}

function logOf(...rows: readonly Row[]): HasHistory {
  return {
    history: async (onRow) => {
      for (const { urn, sequence = null, at = null, target = null, key = null } of rows) {
        const fact = { urn, desired: { big: urn } } as unknown as ProviderFact;
        const entry = { sequence, key, target, recordedAt: at, item: { kind: 'fact', fact } } as const;
        onRow({ line: 1, json: null, entry } satisfies HistoryRow);
      }
    },
  };
}

async function urns(logs: readonly HasHistory[], until: string | null = null): Promise<readonly string[]> {
  const found: string[] = [];
  await factHistory(logs, until === null ? null : Date.parse(until))('cloud', (fact) => {
    expect(fact.desired).toBeNull();
    found.push(fact.urn);
  });
  return found;
}

test('within a log the sequence counts, rows that come twice count once, other targets not at all', async () => {
  const log = logOf(
    { urn: 'b', sequence: 2, key: 'k2' },
    { urn: 'a', sequence: 1, key: 'k1' },
    { urn: 'b', sequence: 2, key: 'k2' },
    { urn: 'elsewhere', sequence: 3, target: 'emulator' },
    { urn: 'c', sequence: 4, target: 'cloud' },
  );
  expect(await urns([log])).toEqual(['a', 'b', 'c']);
});

test('across logs the time counts where both have one, each log keeping its own order', async () => {
  const old = logOf(
    { urn: 'o1', sequence: 7, at: '2026-01-01T00:00:00Z' },
    { urn: 'o2', sequence: 8, at: '2026-01-03T00:00:00Z' },
  );
  const own = logOf({ urn: 'n1', sequence: 1, at: '2026-01-02T00:00:00Z' }, { urn: 'n2', sequence: 2 });
  expect(await urns([old, own])).toEqual(['o1', 'n1', 'n2', 'o2']);
  const untimed = logOf({ urn: 'u1' }, { urn: 'u2' });
  expect(await urns([untimed, own])).toEqual(['u1', 'u2', 'n1', 'n2']);
});

test('one row in two logs counts once', async () => {
  const row = { urn: 'a', sequence: 1, key: 'k', at: '2026-01-01T00:00:00Z' };
  expect(await urns([logOf(row), logOf(row, { urn: 'b', sequence: 2, key: 'l', at: '2026-01-02T00:00:00Z' })])).toEqual(
    ['a', 'b'],
  );
});

test('later rows are left out; one without a time goes with the row before it', async () => {
  const log = logOf(
    { urn: 'a', sequence: 1, at: '2026-01-01T00:00:00Z' },
    { urn: 'b', sequence: 2 },
    { urn: 'c', sequence: 3, at: '2026-01-03T00:00:00Z' },
    { urn: 'd', sequence: 4 },
  );
  expect(await urns([log], '2026-01-02T00:00:00Z')).toEqual(['a', 'b']);
});
