import type { ExactJson } from '../core/json.ts';
import { REDACTED, redactRow } from '../core/redaction.ts';
import { type LosslessJson, losslessText, parseLossless } from './lossless.ts';

/** What others wrote as it can be kept and shown: without secrets, also in JSON that stands inside of a text. */
export function withoutSecrets(value: LosslessJson): ExactJson {
  return redactRow(value, (text) => {
    if (!/^\s*[[{]/.test(text)) return text;
    try {
      const inner = parseLossless(text);
      const [before, after] = [losslessText(inner), losslessText(withoutSecrets(inner) as LosslessJson)];
      return before === after ? text : after;
    } catch (error) {
      return error instanceof SyntaxError ? text : REDACTED;
    }
  });
}
