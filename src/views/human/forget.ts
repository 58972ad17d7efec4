import type { ProviderFact } from '../../core/facts.ts';
import type { Owned } from '../../core/fold.ts';
import { block, escapeText } from '../text.ts';
import { targetWords } from './plan.ts';
import { type HumanOptions, painter } from './style.ts';

/** What is or would be given up. */
export interface Forgotten {
  readonly target: string;
  readonly digest: string;
  readonly owned: Owned;
  /** Null where nothing was written. */
  readonly fact: ProviderFact | null;
  readonly head: string | null;
  /** Whether that was done before. */
  readonly already: boolean;
  /** What confirms it, ready to be pasted. */
  readonly command: string;
}

/** What is given up, and that the resource itself stays as it is. */
export function renderForget(
  { target, digest, owned, fact, head, command, already }: Forgotten,
  options: HumanOptions,
): string {
  const paint = painter(options.color);
  const lines = [
    paint('bold', escapeText(owned.urn)),
    `  ${already ? 'was owned' : 'owned'} by stack ${escapeText(owned.stack)} on ${targetWords(target)}${owned.resourceId === null ? '' : `, ${escapeText(owned.resourceId)}`}`,
    '',
  ];
  if (fact !== null)
    return block([
      ...lines,
      already
        ? 'Its ownership was already given up under this digest; nothing was written.'
        : 'Its ownership was given up; the resource was not touched.',
      `Log head: ${head ?? 'none'}`,
    ]);
  return block([
    ...lines,
    'Its ownership would be given up; the resource itself would not be touched.',
    `Digest: ${digest}`,
    '',
    'To do exactly this:',
    `  ${command}`,
  ]);
}
