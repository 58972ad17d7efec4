import type { CommandResult } from '../command-runner.ts';
import type { KindDefinition } from './define-kind.ts';

/** What was asked for by its id, as an error calls it. */
export interface Asked {
  readonly kind: KindDefinition['kind'] | 'folder';
  readonly id: string;
}

const ERROR = /^ERROR: /gm;
const LINE = /^ERROR: (?:execute command: )?(?:run command: )?(?:rpc error: code = not_?found desc = )?(.*?)\s*$/im;

/**
 * Whether an error says that the very thing that was asked for is not there. Only the whole sentence is proof: a folder,
 * a profile or another resource that is missing says nothing of this one, nor does a miss by name.
 */
export function saysGone({ stdout, stderr }: CommandResult, { kind, id }: Asked): boolean {
  if (stdout.trim() !== '' || stderr.match(ERROR)?.length !== 1) return false;
  const noun = kind.replace('_', '[ _-]?');
  const named = `(?:with id (?:or name )?)?(?:[a-z]+\\.Id\\(value=${id}\\)|"${id}"|'${id}'|${id})`;
  return new RegExp(`^(?:${noun} )?${named} (?:is |was )?not found\\.?$`, 'i').test(LINE.exec(stderr)?.[1] ?? '');
}
