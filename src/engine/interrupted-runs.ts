import type { ProviderFact } from '../core/facts.ts';
import type { IntentBody, OpenIntent } from '../eventlog/event-log.ts';
import type { HasHistory, HistoryRow } from '../eventlog/history.ts';

/** A create that happened, and what the log knows of what it made. */
export interface Create {
  readonly intent: IntentBody;
  readonly made: ProviderFact;
}

/** One run in one stack. */
function runOf({ stack, execution_id }: ProviderFact): string {
  return `${String(execution_id)} ${stack}`;
}

/**
 * The runs that left something open. A deletion under the digest of the create of the same resource is a rollback's:
 * what is interrupted then is the run that made it, too.
 */
export async function runsOf(history: HasHistory, open: readonly OpenIntent[]): Promise<ReadonlySet<string>> {
  const runs = new Set(open.map(({ intent }) => runOf(intent.provider_fact)));
  const undoing = new Set(
    open.flatMap(({ intent }) =>
      intent.operation === 'delete' && intent.digest !== null ? [underDigest(intent)] : [],
    ),
  );
  if (undoing.size === 0) return runs;
  await history.history(({ entry: { item } }) => {
    if (item.kind === 'intent' && item.intent.operation === 'create' && undoing.has(underDigest(item.intent)))
      runs.add(runOf(item.intent.provider_fact));
  });
  return runs;
}

function underDigest({ digest, urn }: IntentBody): string {
  return `${String(digest)} ${urn}`;
}

/** What those runs are known to have made and that is not known to be gone, in the order in which it was asked for. */
export async function createsOf(history: HasHistory, runs: ReadonlySet<string>): Promise<Create[]> {
  const intents = new Map<string, IntentBody>();
  const made = new Map<string, Create>();
  await history.history(({ entry: { item } }: HistoryRow) => {
    if (item.kind === 'intent' && item.intent.operation === 'create' && runs.has(runOf(item.intent.provider_fact)))
      intents.set(keyOf(item.intent.provider_fact), item.intent);
    if (item.kind === 'fact') note(made, intents, item.fact);
  });
  return [...intents.keys()].flatMap((key) => made.get(key) ?? []);
}

/** Only a fact says that something was made: an intent alone, be it open, refused or closed by hand, says nothing. */
function note(made: Map<string, Create>, intents: ReadonlyMap<string, IntentBody>, fact: ProviderFact): void {
  if (fact.outcome === 'deleted' || fact.outcome === 'absent') {
    for (const [key, create] of made) if (create.made.urn === fact.urn) made.delete(key);
    return;
  }
  const intent = intents.get(keyOf(fact));
  const isMade = fact.verb === 'ensure' && fact.outcome === 'changed' && fact.origin === 'created';
  if (intent !== undefined && isMade) made.set(keyOf(fact), { intent, made: fact });
}

function keyOf(fact: ProviderFact): string {
  return `${runOf(fact)} ${fact.urn}`;
}
