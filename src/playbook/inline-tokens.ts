import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { REDACTED } from '../core/redaction.ts';
import type { AuthSpec, Step } from '../core/step.ts';
import type { Findings } from './findings.ts';

/** Anything shorter is in other texts by chance. */
const SHORTEST = 8;

/** What is known of the token behind an auth that only says where it is; null: nothing. */
export type TokenOf = (auth: AuthSpec) => string | null;

/** The tokens that the steps would use, as far as they are written down anywhere. */
export function writtenTokens(steps: readonly Step[], tokenOf: TokenOf): ReadonlySet<string> {
  const known = new Set<string>();
  for (const { auth } of steps) {
    const token = auth === null ? null : (auth.token ?? tokenOf(auth));
    if (token !== null && token.length >= SHORTEST) known.add(token);
  }
  return known;
}

/** The tokens of the steps, in the playbook or where the caller keeps them, and what may not show them. */
export class InlineTokens {
  /** Each with its form inside of JSON; the longest first, so that none is left in part. */
  readonly #tokens: readonly { readonly text: string; readonly json: string }[];

  constructor(steps: readonly Step[], tokenOf: TokenOf) {
    this.#tokens = [...writtenTokens(steps, tokenOf)]
      .sort((a, b) => b.length - a.length)
      .map((text) => ({ text, json: JSON.stringify(text).slice(1, -1) }));
  }

  /** The steps with descriptions that hide tokens. A token elsewhere would be sent and recorded: that is refused. */
  hide(steps: readonly Step[], findings: Findings): readonly Step[] {
    if (this.#tokens.length === 0) return steps;
    return steps.map((step) => {
      if (this.stand(step)) findings.push(refusalOf(step));
      return step.desc === null ? step : { ...step, desc: this.#scrub(step.desc) };
    });
  }

  /** Whether one stands in anything of the step but its auth and its description. */
  stand(step: Step): boolean {
    if (this.#tokens.length === 0) return false;
    const { auth, desc: _, positions: __, source: ___, ...rest } = step;
    const text = JSON.stringify([rest, auth === null ? null : { ...auth, token: null }]);
    return this.#tokens.some(({ json }) => text.includes(json));
  }

  /** Complaints quote what they are about. */
  scrubbed(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
    if (this.#tokens.length === 0) return diagnostics;
    return diagnostics.map((item) => ({
      ...item,
      detail: this.#scrub(item.detail),
      hint: item.hint === null ? null : this.#scrub(item.hint),
      address: item.address === null ? null : this.#scrub(item.address),
    }));
  }

  /** What templates see that are rendered while the playbook runs; auth is rendered before. */
  hidden(variables: JsonObject): JsonObject {
    const walk = (value: Json): Json => {
      if (typeof value === 'string') return this.#scrub(value);
      if (Array.isArray(value)) return value.map((item: Json) => walk(item));
      return isJsonObject(value) ? walkObject(value) : value;
    };
    const walkObject = (object: JsonObject): JsonObject =>
      Object.fromEntries(Object.entries(object).map(([key, value]) => [key, walk(value)]));
    return this.#tokens.length === 0 ? variables : walkObject(variables);
  }

  #scrub(text: string): string {
    let clean = text;
    for (const token of this.#tokens) clean = clean.replaceAll(token.text, REDACTED).replaceAll(token.json, REDACTED);
    return clean;
  }
}

/** Says nothing that is made of the step's own values. */
function refusalOf({ positions, source }: Step): Diagnostic {
  const detail = 'The token of an auth also stands elsewhere in a step, where it would be sent and recorded.';
  return diagnostic('INVALID_VALUE', detail, {
    source: positions.get('input') ?? source,
    hint: 'use token_env: INFRA_<NAME> for the token alone, and something else here',
  });
}
