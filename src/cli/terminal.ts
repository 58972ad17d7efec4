import type { Host, OutputStream } from './host.ts';

export interface TerminalFlags {
  /** False with `--no-color`. */
  readonly color: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** How text may look on one stream. */
export interface Style {
  readonly color: boolean;
  /** Columns to fit tables into. */
  readonly width: number;
}

/** Widths for anything that is no terminal, so that piped output never depends on a window. */
const DEFAULT_WIDTH = 100;
const NARROWEST = 40;

export function styleOf(stream: OutputStream, env: Host['env'], flags: Pick<TerminalFlags, 'color'>): Style {
  return { color: colorAllowed(stream, env, flags), width: Math.max(NARROWEST, stream.columns ?? DEFAULT_WIDTH) };
}

/** No colour where the stream is no terminal, with NO_COLOR (any value but empty), TERM=dumb or `--no-color`. */
function colorAllowed(stream: OutputStream, env: Host['env'], flags: Pick<TerminalFlags, 'color'>): boolean {
  const refused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return stream.isTTY && flags.color && !refused;
}
