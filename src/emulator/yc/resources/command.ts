import { ClientFailure, FlagFailure } from '../cli/failures.ts';
import type { Flags, FlagTypes } from '../cli/flags.ts';
import type { JsonObject } from '../cli/json.ts';
import type { World } from '../world/world.ts';

export interface Call {
  readonly world: World;
  readonly flags: Flags;
  readonly operands: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file's text, by a path from the caller's folder. */
  readonly readFile: (path: string) => string;
}

export type Output =
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'list'; readonly rows: readonly JsonObject[]; readonly columns: readonly string[] }
  /** What a delete prints. */
  | { readonly kind: 'deleted' };

export interface Outcome {
  readonly output: Output;
  /** How long the operation is said to have taken; 0 for those done at once, which tell no progress. */
  readonly seconds?: number;
  /** What the call made, for faults that hide it. */
  readonly made?: string;
  /** Said instead of the output, and what has changed so far is kept. */
  readonly failure?: Error;
}

export interface Command {
  readonly words: string;
  /** What may follow the words, as the usage line shows it. */
  readonly operands: '' | '<NAME|ID>' | '<ID>' | '<NAME>';
  readonly flags: FlagTypes;
  readonly required?: readonly string[];
  readonly run: (call: Call) => Outcome;
}

/** The folder of the call. Which text `yc` has for its absence is not recorded. */
export function folderOf({ world, flags }: Call): string {
  const name = flags.text('folder-name');
  const byName = Object.values(world.state.folders).find((folder) => folder.name === name)?.id;
  if (name !== undefined && byName === undefined) throw new ClientFailure(`folder with name "${name}" not found`, true);
  const id = flags.text('folder-id') ?? byName ?? world.knobs.defaultFolderId;
  if (id === undefined || id === '') throw new ClientFailure('folder id is not specified');
  return id;
}

export function requireFlags(flags: Flags, names: readonly string[]): void {
  const missing = names.filter((name) => !flags.has(name));
  if (missing.length > 0)
    throw new FlagFailure(`required flag(s) ${missing.map((name) => `"${name}"`).join(', ')} not set`);
}
