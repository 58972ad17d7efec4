import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import { type Diagnostic, DiagnosticError } from '../core/diagnostics.ts';
import type { Difference, EngineEvent, StreamEvent } from '../core/events.ts';
import { FORMAT_VERSION } from '../core/plan.ts';
import { renderRefusal } from '../views/human/apply.ts';
import type { HumanOptions } from '../views/human/style.ts';
import { failureDocument } from '../views/json/diagnostic.ts';
import { renderJson } from '../views/json/render.ts';
import { failureMarkdown } from '../views/markdown/failure.ts';
import { ndjsonLine } from '../views/ndjson/events.ts';
import type { Format, OutputFlags } from './flags.ts';
import type { Host } from './host.ts';
import { refuseExisting, writeNew } from './new-file.ts';
import { openStderrLog, type StderrLog } from './stderr-log.ts';
import { styleOf } from './terminal.ts';
import { VERSION } from './version.ts';

/** What a verb adds to a result that it shares with others. */
export interface Addition {
  human(options: HumanOptions): string;
  document(): object;
}

/** A result in each of its forms. */
export interface Result {
  readonly diagnostics: readonly Diagnostic[];
  human(options: HumanOptions): string;
  document(): object;
  /** Of verbs whose report can be put up somewhere. */
  markdown?(): string;
}

/** One text in every form but that of a stream. */
type Forms = Readonly<Record<Exclude<Format, 'ndjson'>, () => string>>;

const FILE_WIDTH = 100;

export async function openOutput(host: Host, flags: OutputFlags, command: string): Promise<Output> {
  for (const file of flags.files) {
    if (writesPlaybook(command)) await refuseExisting(host.cwd, file.path, '--out');
    await checkWritable(resolve(host.cwd, file.path), file.path);
  }
  return new Output(host, flags, command, await openStderrLog(host, flags));
}

/** A report may be written again and again; a playbook may have been edited since. */
function writesPlaybook(command: string): boolean {
  return command === 'import';
}

/** Where a verb tells what happens and what came of it: the result on stdout and in files, all else on stderr. */
export class Output {
  readonly log: StderrLog;
  readonly #host: Host;
  readonly #flags: OutputFlags;
  readonly #command: string;
  readonly #stream: string[] = [];
  #unwritten = false;

  constructor(host: Host, flags: OutputFlags, command: string, log: StderrLog) {
    this.#host = host;
    this.#flags = flags;
    this.#command = command;
    this.log = log;
    this.#push({ type: 'version', infra: VERSION, format_version: FORMAT_VERSION });
  }

  /** Something happened: a line of the stream, progress for people. */
  emit(event: EngineEvent): void {
    this.#push(event);
    this.log.progress(event);
  }

  /** A line of the stream alone. */
  stream(event: StreamEvent): void {
    this.#push(event);
  }

  /** A piece of the result while the verb goes on. */
  write(text: string): void {
    this.#host.stdout.write(text);
  }

  /** Whether a file of the result could not be written, which has been told. */
  get unwritten(): boolean {
    return this.#unwritten;
  }

  /** How people see results on stdout. */
  get human(): HumanOptions {
    const style = styleOf(this.#host.stdout, this.#host.env, this.#flags);
    return { ...style, verbose: this.#flags.verbose, showReads: this.#flags.showReads };
  }

  /** What a person has to see before the verb can go on; no part of the result. */
  preview(result: Result): void {
    if (this.#flags.format === 'human') this.write(result.human(this.human));
    else
      this.#host.stderr.write(
        result.human({ ...this.human, ...styleOf(this.#host.stderr, this.#host.env, this.#flags) }),
      );
  }

  async result(result: Result): Promise<void> {
    for (const item of result.diagnostics) this.#push({ type: 'diagnostic', diagnostic: item });
    const forms: Forms = {
      json: () => renderJson(result.document()),
      markdown: () => result.markdown?.() ?? '',
      human: () => result.human({ ...this.human, color: false, width: FILE_WIDTH }),
    };
    this.#answer({ ...forms, human: () => result.human(this.human) });
    await this.#writeFiles(forms);
  }

  /** Nothing came of it. People read why on stderr, whatever stdout is. */
  async failure(diagnostics: readonly Diagnostic[], differences: readonly Difference[] | null = null): Promise<void> {
    const document = failureDocument(this.#command, diagnostics, differences);
    for (const [index, diagnostic] of diagnostics.entries()) {
      const told = index === 0 && differences !== null && differences.length > 0 ? { differences } : {};
      this.#push({ type: 'diagnostic', diagnostic, ...told });
    }
    const forms: Forms = {
      json: () => renderJson(document),
      markdown: () => failureMarkdown(this.#command, diagnostics),
      human: () => renderRefusal(diagnostics, differences ?? [], { ...this.human, color: false, width: FILE_WIDTH }),
    };
    // People read it on stderr.
    this.#answer({ ...forms, human: () => '' });
    if (differences === null || this.#flags.logFormat === 'json') this.log.diagnostics(diagnostics);
    else
      this.#host.stderr.write(
        renderRefusal(diagnostics, differences, {
          ...this.human,
          ...styleOf(this.#host.stderr, this.#host.env, this.#flags),
        }),
      );
    await this.#writeFiles(forms, writesPlaybook(this.#command));
  }

  #answer(forms: Forms): void {
    const { format } = this.#flags;
    if (format !== 'ndjson') this.write(forms[format]());
  }

  #push(event: StreamEvent): void {
    const wanted = this.#flags.format === 'ndjson';
    const kept = this.#flags.files.some(({ format }) => format === 'ndjson');
    if (!wanted && !kept) return;
    const line = ndjsonLine(event, new Date(this.#host.now()).toISOString());
    if (wanted) this.write(line);
    if (kept) this.#stream.push(line);
  }

  /** Where there is no playbook, none is written: what stood in its place would keep the next one out. */
  async #writeFiles(forms: Forms, isWithoutPlaybook = false): Promise<void> {
    await this.keep((format) => {
      if (format === 'human' && isWithoutPlaybook) return null;
      return format === 'ndjson' ? this.#stream.join('') : forms[format]();
    });
  }

  /** Writes the files of the result but for those without text; one that can't be written is told, because what the run did stands. */
  async keep(textOf: (format: Format) => string | null): Promise<void> {
    for (const { format, path } of this.#flags.files) {
      const text = textOf(format);
      if (text === null) continue;
      const written = writesPlaybook(this.#command)
        ? writeNew(this.#host.cwd, path, '--out', text)
        : writeFile(resolve(this.#host.cwd, path), text);
      const error = await written.catch((reason: unknown) => reason);
      if (error === undefined) continue;
      this.#unwritten = true;
      this.log.diagnostics([diagnostic('OUTPUT_WRITE', `The result can't be written to ${path}: ${reasonOf(error)}.`)]);
    }
  }
}

/** Before anything is done: a result that can't be written afterwards would be lost. */
async function checkWritable(path: string, given: string): Promise<void> {
  try {
    const stats = await stat(path).catch(() => null);
    if (stats?.isDirectory() === true) throw new Error('it is a folder');
    await access(stats === null ? dirname(path) : path, constants.W_OK);
  } catch (error) {
    throw unwritable(given, error);
  }
}

function unwritable(path: string, error: unknown): DiagnosticError {
  return new DiagnosticError([diagnostic('USAGE', `--out ${path} can't be written: ${reasonOf(error)}.`)]);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
