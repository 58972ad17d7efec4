import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { type GoogleEmulator, type GoogleEmulatorOptions, startGoogleEmulator } from '../emulator/google/server.ts';
import { StateFileError, type StateFileTrouble } from '../emulator/google/world/state-file-error.ts';

/** Starts the emulator; a state file that it can't use is told with the way out. Throws DiagnosticError. */
export async function startEmulator(options: GoogleEmulatorOptions, wayOut: string): Promise<GoogleEmulator> {
  try {
    return await startGoogleEmulator(options);
  } catch (error) {
    throw error instanceof StateFileError ? refusalOf(error, wayOut) : error;
  }
}

function refusalOf(error: StateFileError, hint: string): DiagnosticError {
  const detail = `The emulator can't start: ${error.message}.`;
  return new DiagnosticError([diagnostic(codeOf(error), detail, { hint })]);
}

const CODES = { link: 'USAGE', unreadable: 'FILE_UNREADABLE', unwritable: 'USAGE' } as const satisfies Readonly<
  Record<StateFileTrouble, string>
>;

/** In `.infra` a link was put there by somebody; elsewhere the caller named it. */
function codeOf({ trouble, path }: StateFileError) {
  return trouble === 'link' && /[\\/]\.infra[\\/]/.test(path) ? 'UNSAFE_PATH' : CODES[trouble];
}
