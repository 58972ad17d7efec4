import type { Diagnostic } from '../core/diagnostics.ts';
import type { EngineEvent } from '../core/events.ts';
import { renderDiagnostics } from '../views/human/diagnostics.ts';
import { progressLine } from '../views/human/progress.ts';
import { block, escapeText } from '../views/text.ts';
import type { OutputFlags } from './flags.ts';
import type { Host } from './host.ts';
import { styleOf } from './terminal.ts';

/** What is told beside the result. */
export interface StderrLog {
  progress(event: EngineEvent): void;
  diagnostics(diagnostics: readonly Diagnostic[]): void;
  /** A line for whoever watches. */
  note(text: string): void;
}

/** Text for people, or JSON lines for machines (`--log-format json`). */
export async function openStderrLog(host: Host, flags: OutputFlags): Promise<StderrLog> {
  return flags.logFormat === 'json' ? openJsonLog(host, flags) : openTextLog(host, flags);
}

function openTextLog(host: Host, flags: OutputFlags): StderrLog {
  const style = styleOf(host.stderr, host.env, flags);
  return {
    progress: (event) => {
      if (!flags.quiet) host.stderr.write(progressLine(event, flags) ?? '');
    },
    diagnostics: (diagnostics) => host.stderr.write(renderDiagnostics(diagnostics, style)),
    note: (text) => {
      if (!flags.quiet) host.stderr.write(block([escapeText(text)]));
    },
  };
}

const LEVELS = { error: 'error', warning: 'warn', note: 'info' } as const;

async function openJsonLog(host: Host, flags: OutputFlags): Promise<StderrLog> {
  const { pino } = await import('pino');
  const logger = pino(
    {
      level: flags.quiet ? 'warn' : flags.verbose ? 'debug' : 'info',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    { write: (line: string) => host.stderr.write(line) },
  );
  return {
    progress: (event) => {
      const text = progressLine(event, flags)?.trimEnd();
      if (text !== undefined) logger.info({ type: event.type, ...subjectOf(event) }, text);
    },
    diagnostics: (diagnostics) => {
      for (const { severity, code, summary, detail, address, urn, hint } of diagnostics) {
        logger[LEVELS[severity]]({ type: 'diagnostic', code, detail, address, urn, hint }, summary);
      }
    },
    note: (text) => logger.info(text),
  };
}

/** Typed fields only: whole events and errors can carry what doesn't belong into a log. */
function subjectOf(event: EngineEvent): object {
  switch (event.type) {
    case 'step_start':
    case 'step_progress':
      return { address: event.address };
    case 'operation':
      return { address: event.address, operation: event.operation };
    case 'step_outcome':
      return { address: event.step.address, outcome: event.step.outcome, duration_ms: event.step.duration_ms };
    case 'lock_acquired':
      return { stacks: event.stacks };
    case 'plan_start':
    case 'step_planned':
    case 'plan_summary':
    case 'fact':
    case 'diagnostic':
    case 'summary':
      return {};
  }
}
