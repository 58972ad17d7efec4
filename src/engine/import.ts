import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { DraftedScope, LeftOut, StepDraft } from '../core/inventory.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { unknownOf, type ValueObject } from '../core/value.ts';
import { type SectionText, type StepText, writePlaybook } from '../playbook/write-playbook.ts';
import type { InventoryProvider } from '../providers/lifecycle-provider.ts';
import { nameSteps } from './import-names.ts';

export interface ImportRequest {
  /** Opened on the scope. */
  readonly reader: InventoryProvider;
  /** Owner of what is imported; null: left to the caller of the playbook. */
  readonly stack: string | null;
  /** `metadata.name`; null: made from the scope. */
  readonly name: string | null;
  /** `identity` of the project's configuration; null or left out: it has none. */
  readonly identity?: Json;
  /** As it is to stand under `defaults`: `{ type: gcp_adc, credential: ... }`; null: none. */
  readonly auth: JsonObject | null;
  /** Likewise; null or left out: the cloud's own. */
  readonly endpoint?: JsonObject | null;
  /** Patterns of members whose grants are left out; null: the provider's own list. */
  readonly leaveOut: readonly string[] | null;
}

export interface ImportResult {
  readonly provider: string;
  readonly scope: string;
  /** The playbook, as YAML. */
  readonly text: string;
  readonly steps: number;
  readonly leftOut: readonly LeftOut[];
}

/** Examples of what is left out that the playbook names; the rest is counted. */
const NAMED = 20;

/** Writes the playbook of what is live in a scope. Throws DiagnosticError where the scope can't be read whole. */
export async function runImport(request: ImportRequest): Promise<ImportResult> {
  const { stack, identity = null, leaveOut, endpoint = null } = request;
  const drafted = await request.reader.draftSteps({ stack, identity, leaveOut, isElsewhere: endpoint !== null });
  if (drafted.kind === 'failed') throw new DiagnosticError([drafted.why]);
  const { provider, scope, steps, leftOut } = drafted.found;
  if (steps.length === 0) throw new DiagnosticError([nothingIn(drafted.found)]);
  const text = writePlaybook({
    comment: header(drafted.found),
    name: request.name ?? `import-${scope.replaceAll(/[^A-Za-z0-9]+/g, '-')}`,
    defaults: defaultsOf(request, drafted.found),
    sections: sectionsOf(drafted.found, steps),
  });
  return { provider, scope, text, steps: steps.length, leftOut };
}

function nothingIn({ scope, leftOut }: DraftedScope) {
  const reasons = leftOut.map(({ why, what }) => `${why} (${what.length})`);
  return diagnostic('NOT_FOUND', `In ${scope} is nothing that a playbook could declare.`, {
    hint: reasons.length === 0 ? null : `Left out: ${reasons.join('; ')}.`,
    retryable: false,
  });
}

function defaultsOf({ auth, endpoint = null }: ImportRequest, { stack, defaults }: DraftedScope): ValueObject {
  return {
    ...(stack === null ? {} : { stack }),
    reconcile: 'enforce',
    ...defaults,
    ...(endpoint === null ? {} : { endpoint }),
    ...(auth === null ? {} : { auth }),
  };
}

function header(drafted: DraftedScope): readonly string[] {
  return [
    `What is live in ${drafted.scope}, as infra import found it.`,
    '',
    ...(drafted.unmarked === 0 ? RECORDED : markedLines(drafted)),
    ...(drafted.remarks.length === 0 ? [] : ['', ...drafted.remarks]),
    ...drafted.leftOut.flatMap(leftOutLines),
  ];
}

const RECORDED = [
  'A plan of it has nothing to do but to record that the stack owns all this. Either of these does that:',
  '  infra adopt <this file>, look at it, and again with --confirm <digest>',
  '  infra plan <this file>, then infra apply <this file> --confirm <digest>',
];

function markedLines({ unmarked }: DraftedScope): readonly string[] {
  const these = unmarked === 1 ? 'One of these resources does' : `${unmarked} of these resources do`;
  return [
    'To record that the stack owns all this:',
    '  infra adopt <this file>, look at it, and again with --confirm <digest>',
    `${these} not say yet whose they are. A plan shows the labels that do, and nothing else to change;`,
    'until an apply has made them nothing of those is changed or deleted:',
    '  infra plan <this file>, then infra apply <this file> --confirm <digest>',
  ];
}

function leftOutLines({ why, what }: LeftOut): readonly string[] {
  const rest = what.length - NAMED;
  return [
    '',
    `Left out: ${why} (${what.length})`,
    ...what.slice(0, NAMED).map((item) => `  ${item}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

/** Consecutive steps of one section under its name. */
function sectionsOf({ provider }: DraftedScope, drafts: readonly StepDraft[]): readonly SectionText[] {
  const names = nameSteps(drafts);
  const sections: { comment: readonly string[]; steps: StepText[] }[] = [];
  let current: string | null = null;
  for (const draft of drafts) {
    if (draft.section !== current) sections.push({ comment: [draft.section], steps: [] });
    current = draft.section;
    sections.at(-1)?.steps.push(stepOf(provider, draft, names));
  }
  return sections;
}

function stepOf(provider: string, draft: StepDraft, names: ReadonlyMap<string, string>): StepText {
  const references = Object.entries(draft.within).flatMap(([input, { key, by }]) => {
    const address = names.get(key);
    if (address === undefined) return [];
    return [[input, by === 'step' ? address : unknownOf([{ address, path: 'resource.name' }])] as const];
  });
  return {
    comment: draft.notes,
    step: names.get(draft.key) ?? draft.key,
    tool: {
      provider,
      action: draft.action,
      ...draft.tool,
      input: { ...draft.input, ...Object.fromEntries(references) },
    },
  };
}
