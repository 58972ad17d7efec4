import type { InputProblem } from '../../core/resource.ts';
import type { ValueObject } from '../../core/value.ts';
import { type InputField, numberField, problem, readFields, textField } from './inputs.ts';
import { idRule } from './validation.ts';

/** What a step says of how its folder is reached; whose authority that uses is the caller's to say. */
export interface YandexSettings {
  readonly folderId: string;
  /** Seconds. */
  readonly commandTimeout: number;
  /** Seconds; a create of minutes is ordinary. */
  readonly mutationTimeout: number;
  readonly inventoryLimit: number;
}

/** Seconds, where nothing is said. */
export const COMMAND_TIMEOUT = 45;
const DEFAULTS = { commandTimeout: COMMAND_TIMEOUT, mutationTimeout: 300, inventoryLimit: 10_000 };
/** The most that the API gives in one list; asking for more is refused there. */
const API_LIMIT = 1000;
const MILLISECOND = 0.001;

const FIELDS: readonly InputField[] = [
  textField('folder_id', { required: true, isStatic: true, rule: idRule }),
  numberField('command_timeout', { min: MILLISECOND, max: 300, step: MILLISECOND }),
  numberField('mutation_timeout', { min: MILLISECOND, max: 3600, step: MILLISECOND }),
  numberField('inventory_limit', { min: 1, max: 100_000 }),
];

export type SettingsReading =
  | { readonly kind: 'ok'; readonly settings: YandexSettings }
  | { readonly kind: 'invalid'; readonly problems: readonly InputProblem[] };

/** Checks a step's `settings`; there is no fallback for the folder, least of all a profile's own. */
export function readSettings(given: ValueObject | null): SettingsReading {
  if (given === null) {
    const detail = 'settings.folder_id is missing: every call names the folder it is about.';
    return { kind: 'invalid', problems: [problem([], detail, 'MISSING_KEY', 'settings: { folder_id: <folder id> }')] };
  }
  const { values, problems } = readFields(FIELDS, given, [], 'setting');
  if (problems.length > 0) return { kind: 'invalid', problems };
  return {
    kind: 'ok',
    settings: {
      folderId: String(values['folder_id']),
      commandTimeout: Number(values['command_timeout'] ?? DEFAULTS.commandTimeout),
      mutationTimeout: Number(values['mutation_timeout'] ?? DEFAULTS.mutationTimeout),
      inventoryLimit: Number(values['inventory_limit'] ?? DEFAULTS.inventoryLimit),
    },
  };
}

/** What a list asks for. As many rows as that may not be all of them. */
export function listLimit({ inventoryLimit }: YandexSettings): number {
  return Math.min(inventoryLimit, API_LIMIT);
}
