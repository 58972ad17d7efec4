import type { IntentBody, OpenIntent, OutcomeBody } from './event-log.ts';

/**
 * The intents whose outcome is not on record. One that is done stays open until the log has its fact, too: the rows of
 * one append can be cut apart by a crash, and what was made must not be forgotten.
 */
export interface OpenIntents {
  intent(sequence: number, intent: IntentBody, target: string): void;
  outcome(outcome: OutcomeBody): void;
  /** A fact about this URN stands in the log. */
  fact(urn: string): void;
  list(): readonly OpenIntent[];
}

export function startOpenIntents(from: readonly OpenIntent[] = []): OpenIntents {
  const open = new Map<number, OpenIntent>();
  const byUrn = new Map<string, Set<number>>();
  const put = (one: OpenIntent): void => {
    open.set(one.sequence, one);
    const { urn } = one.intent;
    byUrn.set(urn, (byUrn.get(urn) ?? new Set()).add(one.sequence));
  };
  const close = ({ sequence, intent: { urn } }: OpenIntent): void => {
    open.delete(sequence);
    const others = byUrn.get(urn);
    others?.delete(sequence);
    if (others?.size === 0) byUrn.delete(urn);
  };
  const outcome = ({ intent_sequence, status, operation_name }: OutcomeBody): void => {
    const one = open.get(intent_sequence);
    if (one === undefined) return;
    switch (status) {
      case 'done':
        if (one.recorded === 'fact') close(one);
        else put({ ...one, recorded: 'outcome' });
        return;
      case 'failed':
      case 'abandoned':
        close(one);
        return;
      case 'uncertain':
        put({ ...one, namedOperation: operation_name ?? one.namedOperation });
        return;
      case 'pending':
        put({ ...one, operationName: operation_name ?? one.operationName });
    }
  };
  const fact = (urn: string): void => {
    if (byUrn.size === 0) return;
    for (const sequence of [...(byUrn.get(urn) ?? [])]) {
      const one = open.get(sequence);
      if (one?.recorded === 'outcome') close(one);
      else if (one !== undefined) put({ ...one, recorded: 'fact' });
    }
  };
  for (const one of from) put(one);
  return {
    intent: (sequence, intent, target) =>
      put({ sequence, intent, target, recorded: null, operationName: null, namedOperation: null }),
    outcome,
    fact,
    list: () => [...open.values()],
  };
}
