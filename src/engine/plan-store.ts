import { randomUUID } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { isSensitiveKey } from '../core/redaction.ts';
import type { Playbook } from '../core/step.ts';
import { openForReading, writeNewFile } from '../eventlog/safe-file.ts';
import type { PlanSource, StoredPlan } from './stored-plan.ts';

/** No stored plan of a playbook within the limits comes near this. */
const LARGEST_BYTES = 1024 * 1024 * 1024;

/** Keeps a plan under its digest, atomically and for its owner's eyes only; one without a digest can't be confirmed. */
export async function savePlan(folder: string, stored: StoredPlan): Promise<void> {
  if (stored.plan.digest === null) return;
  const path = planPath(folder, stored.plan.digest);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeNewFile(temporary, Buffer.from(JSON.stringify(encode(stored))), false);
    await rename(temporary, path);
  } catch (error) {
    if (error instanceof DiagnosticError || !(error instanceof Error)) throw error;
    throw new DiagnosticError([
      diagnostic('LOG_WRITE', `The plan can't be kept in ${folder}: ${error.message}.`, {
        hint: 'plan with --no-save',
      }),
    ]);
  }
}

/** The plan with this digest, or null where none is kept. Throws DiagnosticError (FILE_UNREADABLE) on what is no plan of that digest. */
export async function loadPlan(folder: string, digest: string): Promise<StoredPlan | null> {
  const path = planPath(folder, digest);
  const text = await readText(path);
  if (text === null) return null;
  const { parseStoredPlan } = await import('./plan-file.ts');
  const stored = parseStoredPlan(text, digest);
  if (stored !== null) return stored;
  const hint = 'give the playbook, or plan again';
  throw new DiagnosticError([
    diagnostic('FILE_UNREADABLE', `${path} is not the stored plan of this digest.`, { hint }),
  ]);
}

function encode({ verb, options: given, source, savedAt, plan: shown, digestInput: input }: StoredPlan): object {
  const { fullPath, ...kept } = source;
  return {
    verb,
    options: given,
    source: { ...kept, full_path: fullPath },
    saved_at: savedAt,
    plan: shown,
    digest_input: input,
  };
}

/**
 * The source as it may be kept: without any text where a step carries a token, where one of `tokens` stands in it, or
 * where a key names a secret.
 */
export function storableSource(source: PlanSource, playbook: Playbook, tokens: ReadonlySet<string>): PlanSource {
  const whole = [source.text, source.workload, ...source.sets].join('\n');
  const token =
    [...tokens].some((known) => whole.includes(known) || whole.includes(JSON.stringify(known).slice(1, -1))) ||
    playbook.steps.some((item) => item.auth !== null && item.auth.token !== null);
  const texts = [
    source.text ?? '',
    source.workload ?? '',
    ...source.sets.map((set) => set.replace(/^.*?([^.[\]=]+)=/, '$1: ')),
  ];
  return token || texts.some(spellsSecret) ? { ...source, text: null, sets: [], workload: null } : source;
}

/** A key and the beginning of a value that is no template. */
const MEMBER = /(?:^|[\s{,])["']?([A-Za-z_][\w-]*)["']?\s*:[ \t]*(?!["']?\{\{)[^\s,}#]/gm;
/** These name where a secret is, not what it is. */
const NAMES_ONLY = /^credentials?$|_(?:env|file|name|id)$/;

/** Whether a text of YAML spells a secret out, in a step that infra runs or in any other. */
function spellsSecret(text: string): boolean {
  for (const [, key = ''] of text.matchAll(MEMBER)) if (isSensitiveKey(key) && !NAMES_ONLY.test(key)) return true;
  return false;
}

function planPath(folder: string, digest: string): string {
  return join(folder, `${digest}.json`);
}

async function readText(path: string): Promise<string | null> {
  const handle = await openForReading(path);
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    if (size > LARGEST_BYTES) {
      throw new DiagnosticError([
        diagnostic('FILE_UNREADABLE', `${path} in ${dirname(path)} is too large to be a stored plan.`),
      ]);
    }
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
