import { debuglog } from 'node:util';
import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';

/** By these, libraries print the requests that they send and the answers that they get. */
const OF_LIBRARIES = ['DEBUG', 'GOOGLE_SDK_NODE_LOGGING'];
/** What Node itself prints of these holds headers, chunks of bodies, or a child's whole environment. */
const LOUD = ['child_process', 'http', 'http2', 'https', 'net', 'stream', 'tls'];

/**
 * Takes the environment's debug switches from the libraries, which read them when they are loaded. Node has read its own
 * long before and can't be told otherwise: where that would print what must stay secret, it is said, and nothing is run.
 */
export function silenceDebugging(environment: Record<string, string | undefined>): Diagnostic | null {
  for (const name of OF_LIBRARIES) delete environment[name];
  if (environment['NODE_DEBUG'] === undefined) return null;
  const loud = LOUD.filter((section) => debuglog(section).enabled);
  if (loud.length === 0) return null;
  const detail = `NODE_DEBUG makes Node print requests, their tokens and environments to stderr (${loud.join(', ')}); nothing was run.`;
  return diagnostic('USAGE', detail, { hint: 'Unset NODE_DEBUG; -v says what infra does.' });
}
