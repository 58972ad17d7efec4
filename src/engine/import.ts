import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { DraftedScope, LeftOut, StepDraft } from '../core/inventory.ts';
import type { JsonObject } from '../core/json.ts';
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
  const drafted = await request.reader.draftSteps(request.leaveOut);
  if (drafted.kind === 'failed') throw new DiagnosticError([drafted.why]);
  const { provider, scope, steps, leftOut } = drafted.found;
  if (steps.length === 0) throw new DiagnosticError([nothingIn(scope)]);
  const text = writePlaybook({
    comment: header(drafted.found),
    name: request.name ?? `import-${scope.replaceAll(/[^A-Za-z0-9]+/g, '-')}`,
    defaults: defaultsOf(request),
    sections: sectionsOf(drafted.found, steps),
  });
  return { provider, scope, text, steps: steps.length, leftOut };
}

function nothingIn(scope: string) {
  return diagnostic('NOT_FOUND', `In ${scope} is nothing that a playbook could declare.`, { retryable: false });
}

function defaultsOf({ stack, auth, endpoint = null }: ImportRequest): ValueObject {
  return {
    ...(stack === null ? {} : { stack }),
    reconcile: 'enforce',
    ...(endpoint === null ? {} : { endpoint }),
    ...(auth === null ? {} : { auth }),
  };
}

function header({ scope, leftOut }: DraftedScope): readonly string[] {
  return [
    `What is live in ${scope}, as infra import found it.`,
    '',
    'A plan of it has nothing to do but to record that the stack owns all this. Either of these does that:',
    '  infra adopt <this file>, look at it, and again with --confirm <digest>',
    '  infra plan <this file>, then infra apply <this file> --confirm <digest>',
    ...leftOut.flatMap(leftOutLines),
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
  const references = Object.entries(draft.within).flatMap(([input, key]) => {
    const address = names.get(key);
    return address === undefined ? [] : [[input, unknownOf([{ address, path: 'resource.name' }])] as const];
  });
  return {
    comment: draft.notes,
    step: names.get(draft.key) ?? draft.key,
    tool: { provider, action: draft.action, input: { ...draft.input, ...Object.fromEntries(references) } },
  };
}
