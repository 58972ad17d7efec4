import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { ProviderFact } from '../core/facts.ts';
import { startFold } from '../core/fold.ts';
import { closureOf } from '../core/graph.ts';
import type { Create } from './interrupted-runs.ts';
import { protectionOf } from './protection.ts';
import type { Recovering } from './recover-context.ts';
import type { Looked } from './recover-look.ts';

/** What keeps things from being undone. */
export interface Keepers {
  /** Null: nothing does. */
  whyKept(made: ProviderFact): Diagnostic | null;
  /** It stays, and so does what it needs. */
  keep(create: Create): void;
}

/** By protection, by what is still open and would stand on it, and by what was kept before. */
export function keepersOf(recovering: Recovering, creates: readonly Create[], open: readonly Looked[]): Keepers {
  const needs = needsAmong(recovering, creates, open);
  const isProtected = protectedNow(recovering, creates);
  const kept: Create[] = [];
  return {
    whyKept: (made) => {
      const { urn } = made;
      if (isProtected(made)) return because('PROTECTED', urn, 'it is protected (protect: true).', PROTECTED);
      const coming = open.find(({ open: { intent } }) => intent.operation !== 'delete' && needs(intent.urn).has(urn));
      if (coming !== undefined) {
        const { address } = coming.open.intent;
        const detail = `${address}, which needs it, is uncertain and may come to life yet.`;
        return because('CONFLICT', urn, detail, `infra recover --rollback goes on when ${address} is settled.`);
      }
      const user = kept.find(({ made: other }) => needs(other.urn).has(urn));
      return user === undefined
        ? null
        : because('CONFLICT', urn, `${user.intent.address}, which needs it, is kept.`, null);
    },
    keep: (create) => void kept.push(create),
  };
}

const PROTECTED = 'It is kept, and owned as before: infra destroy removes it once protect: false was applied.';

function because(code: 'PROTECTED' | 'CONFLICT', urn: string, detail: string, hint: string | null): Diagnostic {
  return diagnostic(code, `Not undone: ${detail}`, { urn, hint });
}

/** The newest word of the facts: of what was settled just now, that of its own. */
function protectedNow({ ports, ownership }: Recovering, creates: readonly Create[]): (made: ProviderFact) => boolean {
  const fold = startFold(ownership.model);
  for (const { made } of creates) if (!ownership.model.owned.has(made.urn)) fold.add(made);
  const isProtected = protectionOf(ports, fold.model);
  return ({ urn, provider, resource_type: resourceType }) => isProtected({ urn, provider, resourceType });
}

/** URNs of all that a resource lies in or needs among what the runs made, as far as the facts tell. */
function needsAmong(
  { ports }: Recovering,
  creates: readonly Create[],
  open: readonly Looked[],
): (urn: string) => ReadonlySet<string> {
  const names = new Map(
    creates.flatMap(({ made: { urn, resource_id: id } }) => [
      [urn, urn] as const,
      ...(id === undefined ? [] : [[id, urn] as const]),
    ]),
  );
  const facts = [...creates.map(({ made }) => made), ...open.map((looked) => looked.open.intent.provider_fact)];
  const edges = new Map(
    facts.map(({ urn, provider, resource_type: type, desired }) => [
      urn,
      (ports.catalogues.get(provider)?.containersOf(type, urn, desired) ?? []).flatMap((name) => names.get(name) ?? []),
    ]),
  );
  return (urn) => closureOf(edges.get(urn) ?? [], edges);
}
