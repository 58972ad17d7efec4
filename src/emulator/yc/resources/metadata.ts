import { ClientFailure, invalidField } from '../cli/failures.ts';
import type { Call } from './command.ts';

const VALUE_LIMIT = 256 * 1024;
const TOTAL_LIMIT = 512 * 1024;

/** `--metadata` and `--metadata-from-file` together; undefined when neither was given. */
export function metadataOf(call: Call): Record<string, string> | undefined {
  const inline = call.flags.map('metadata');
  const files = call.flags.map('metadata-from-file');
  if (inline === undefined && files === undefined) return undefined;
  const metadata = { ...inline };
  for (const [key, path] of Object.entries(files ?? {})) metadata[key] = readValue(call, path);
  const data = metadata['user-data'];
  if (data !== undefined) metadata['user-data'] = expand(data, call.env);
  checkSize(metadata);
  return metadata;
}

function readValue(call: Call, path: string): string {
  try {
    return call.readFile(path);
  } catch {
    throw new ClientFailure(`open ${path}: no such file or directory`);
  }
}

function checkSize(metadata: Readonly<Record<string, string>>): void {
  let total = 0;
  for (const [key, value] of Object.entries(metadata)) {
    const size = Buffer.byteLength(value);
    if (size > VALUE_LIMIT) throw invalidField(`metadata.${key}`, `The value is longer than ${VALUE_LIMIT} bytes`);
    total += size + Buffer.byteLength(key);
  }
  if (total >= TOTAL_LIMIT) throw invalidField('metadata', `The total size must be less than ${TOTAL_LIMIT} bytes`);
}

/** As Go's `os.Expand`: `$NAME`, `${NAME}` and `$1` from the environment, nothing for what is unset, `$$` for `$`. */
export function expand(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$(?:\{([^{}]*)\}|([A-Za-z_]\w*|[*#$@!?\-0-9]))/g, (_all, braced?: string, plain?: string) => {
    const name = braced ?? plain ?? '';
    return name === '$' ? '$' : (env[name] ?? '');
  });
}
