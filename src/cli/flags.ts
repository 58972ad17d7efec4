import { type Command, InvalidArgumentError, Option } from 'commander';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { didYouMean } from '../core/nearest.ts';
import type { Options } from './command.ts';
import { parseDuration } from './duration.ts';
import { isSet, list, text } from './options.ts';

export type Format = 'human' | 'json' | 'ndjson' | 'markdown';
const FORMATS: readonly Format[] = ['human', 'json', 'ndjson'];
/** Of verbs whose result is a report to be put up somewhere. */
export const REPORT_FORMATS: readonly Format[] = [...FORMATS, 'markdown'];
const LATER_FORMATS = ['markdown', 'github', 'sarif', 'junit', 'html', 'dot', 'mermaid'];

export interface OutputFile {
  readonly format: Format;
  readonly path: string;
}

/** How a verb answers; the same flags with every verb. */
export interface OutputFlags {
  readonly format: Format;
  readonly files: readonly OutputFile[];
  readonly color: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly showReads: boolean;
  readonly logFormat: 'pretty' | 'json';
}

/** Flags of every verb. */
export function addOutputFlags(command: Command, formats: readonly Format[] = FORMATS): Command {
  return command
    .option('--format <format>', `how the result is written: ${formats.join(', ')}`, 'human')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'more detail, also what is as declared')
    .addOption(
      new Option('--log-format <format>', 'how stderr is written').choices(['pretty', 'json']).default('pretty'),
    )
    .option('--no-color', 'no colour (nor with NO_COLOR, nor where stdout is no terminal)');
}

/** Flags of verbs whose result is worth keeping. */
export function addOutFlag(command: Command): Command {
  return command.option('--out <[format=]file>', 'also write the result to a file (repeatable)', collect);
}

export function readOutputFlags(options: Options, formats: readonly Format[] = FORMATS): OutputFlags {
  const format = parseFormat(text(options, 'format') ?? 'human', formats);
  return {
    format,
    files: list(options, 'out').map((value) => parseOut(value, format, formats)),
    color: options['color'] !== false,
    quiet: isSet(options, 'quiet'),
    verbose: isSet(options, 'verbose'),
    showReads: isSet(options, 'showReads'),
    logFormat: text(options, 'logFormat') === 'json' ? 'json' : 'pretty',
  };
}

function parseFormat(value: string, formats: readonly Format[]): Format {
  const known = formats.find((format) => format === value);
  if (known !== undefined) return known;
  if (LATER_FORMATS.includes(value)) {
    throw new DiagnosticError([
      diagnostic('NOT_AVAILABLE', `--format ${value} is not in this version; there is ${formats.join(', ')}.`),
    ]);
  }
  throw new DiagnosticError([
    diagnostic('USAGE', `--format ${value}: the formats are ${formats.join(', ')}.`, {
      hint: didYouMean(value, formats),
    }),
  ]);
}

/** `json=plan.json` or `plan.json`; a file whose name holds `=` needs its format in front. */
function parseOut(value: string, format: Format, formats: readonly Format[]): OutputFile {
  const match = /^([a-z]+)=(.+)$/.exec(value);
  const [, name, path] = match ?? [];
  return name === undefined || path === undefined
    ? { format, path: value }
    : { format: parseFormat(name, formats), path };
}

export function addExamples(command: Command, examples: readonly string[]): Command {
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  return command.addHelpText('after', `\n${title}\n${examples.map((line) => `  $ ${line}`).join('\n')}\n`);
}

export function collect(value: string, previous: unknown): string[] {
  return [...(Array.isArray(previous) ? previous.filter((item) => typeof item === 'string') : []), value];
}

/** Milliseconds of a duration flag. */
export function duration(value: string): number {
  const milliseconds = parseDuration(value);
  if (milliseconds === null) throw new InvalidArgumentError('Write a duration such as 30s, 5m or 1h.');
  return milliseconds;
}

/** A parser for a whole number within bounds. */
export function wholeNumber(least: number, most: number): (value: string) => number {
  return (value) => {
    const parsed = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (!(parsed >= least && parsed <= most))
      throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
    return parsed;
  };
}

/** The whole digest; upper-case digits are the same digits. */
export function digest(value: string): string {
  if (!/^[0-9a-fA-F]{64}$/.test(value))
    throw new InvalidArgumentError('A digest has 64 hex digits; give it whole, as the plan printed it.');
  return value.toLowerCase();
}

/** A stack's name; an empty one would be another way to say none. */
export function stackName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Name a stack, or leave --stack out.');
  return text;
}
