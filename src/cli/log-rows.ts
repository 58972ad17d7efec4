import type { ExactJson } from '../core/json.ts';
import type { HistoryEntry } from '../core/reports.ts';
import type { HistoryRow } from '../eventlog/history.ts';

/** A row as the views show it. */
export function historyEntry({ json, entry }: HistoryRow): HistoryEntry {
  const { item, sequence, recordedAt } = entry;
  return { sequence, recordedAt, actor: actorOf(json), item: shownItem(item, json), json };
}

function shownItem(item: HistoryRow['entry']['item'], json: ExactJson): HistoryEntry['item'] {
  switch (item.kind) {
    case 'fact':
      return item;
    case 'intent': {
      const { urn, address, operation } = item.intent;
      return { kind: 'intent', urn, address, operation };
    }
    case 'outcome': {
      const { intent_sequence, status, code, operation_name } = item.outcome;
      return { kind: 'outcome', intentSequence: intent_sequence, status, code, operationName: operation_name };
    }
    case 'nothing':
      return { kind: 'other', type: textAt(json, 'type') ?? textAt(json, 'event_type') ?? 'row' };
  }
}

function actorOf(json: ExactJson): string | null {
  return textAt(memberOf(json, 'actor'), 'user');
}

function textAt(json: ExactJson | undefined, key: string): string | null {
  const value = memberOf(json, key);
  return typeof value === 'string' ? value : null;
}

function memberOf(json: ExactJson | undefined, key: string): ExactJson | undefined {
  return Object.entries(json !== null && typeof json === 'object' ? json : {}).find(([name]) => name === key)?.[1];
}
