import { isJsonObject, type Json } from '../core/json.ts';
import type { HistoryEntry } from '../core/reports.ts';
import type { HistoryRow } from '../eventlog/history.ts';

/** A row as the views show it. */
export function historyEntry({ json, entry }: HistoryRow): HistoryEntry {
  const { item, sequence, recordedAt } = entry;
  return { sequence, recordedAt, actor: actorOf(json), item: shownItem(item, json), json };
}

function shownItem(item: HistoryRow['entry']['item'], json: Json): HistoryEntry['item'] {
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

function actorOf(json: Json): string | null {
  const actor = isJsonObject(json) ? json['actor'] : undefined;
  return actor === undefined ? null : textAt(actor, 'user');
}

function textAt(json: Json, key: string): string | null {
  const value = isJsonObject(json) ? json[key] : undefined;
  return typeof value === 'string' ? value : null;
}
