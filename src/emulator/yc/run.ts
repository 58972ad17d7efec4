import { FakeFailure, FlagFailure } from './cli/failures.ts';
import { findCommand, unknownCommand } from './cli/find-command.ts';
import { type Flags, parseFlags } from './cli/flags.ts';
import { type Format, isFormat, renderList, renderObject } from './cli/format.ts';
import { GLOBAL_FLAGS, ROOT_FLAGS } from './cli/globals.ts';
import { progress } from './cli/progress.ts';
import { reportFailure } from './cli/report.ts';
import { appendLog, metadataFiles } from './command-log.ts';
import { COMMANDS } from './commands.ts';
import { type DueFaults, dueFaults } from './faults/due.ts';
import { patch, reshape } from './faults/reshape.ts';
import { strike } from './faults/strike.ts';
import type { Answer, FakeYcHost } from './host.ts';
import type { FakeYcKnobs } from './options.ts';
import { type Command, type Outcome, type Output, requireFlags } from './resources/command.ts';
import type { Resource } from './world/state.ts';
import { readState, transact } from './world/store.ts';
import { World } from './world/world.ts';

/** Says that the fake, not the cloud, is at fault. */
const FAKE_FAILED = 70;

/** One call of `yc`; answers the exit code. */
export async function runFakeYc(host: FakeYcHost, stateFile: string): Promise<number> {
  try {
    logStart(host, stateFile);
    const answer = await act(host, stateFile);
    await host.write('stderr', answer.stderr);
    await host.write('stdout', answer.stdout);
    const line = { event: 'end', pid: host.pid, time: new Date().toISOString(), exitCode: answer.exitCode } as const;
    appendLog(stateFile, line);
    return answer.exitCode;
  } catch (error) {
    if (!(error instanceof FakeFailure)) throw error;
    await host.write('stderr', `fake yc: ${error.message}\n`);
    return FAKE_FAILED;
  }
}

function logStart(host: FakeYcHost, stateFile: string): void {
  const { argv, cwd, pid, stdin } = host;
  const env = Object.keys(host.env).sort();
  const time = new Date().toISOString();
  // A missing state is told before a log appears beside it.
  readState(stateFile);
  appendLog(stateFile, { event: 'start', pid, time, argv, cwd, env, stdin, files: metadataFiles(argv) });
}

async function act(host: FakeYcHost, stateFile: string): Promise<Answer> {
  const words = wordsOf(host.argv);
  const { due, knobs } = transact(stateFile, (state) => ({
    due: dueFaults(state, words, host.argv),
    knobs: state.knobs,
  }));
  const context = { host, stateFile, words, due };
  const before = await strike('before', context);
  if (before !== undefined) return withNotice(withEcho(before, due), knobs);
  const answer = answerOf(host, stateFile, words, due);
  const after = await strike('after', context);
  return withNotice(withEcho(after ?? answer, due), knobs);
}

function wordsOf(argv: readonly string[]): string {
  const { words, command, rest } = findCommand(argv, COMMANDS);
  const asksVersion = command === undefined && (rest[0] === 'version' || rest[0] === '--version' || rest[0] === '-v');
  return asksVersion ? 'version' : words;
}

/** Does what was asked, in one step, and words the answer. */
function answerOf(host: FakeYcHost, stateFile: string, words: string, due: DueFaults): Answer {
  return transact(stateFile, (state) => {
    const world = new World(state);
    const { knobs } = state;
    if (words === 'version') return versionAnswer(knobs, host.platform);
    const kept = structuredClone(state);
    try {
      const { outcome, format, quiet } = runCommand(host, world);
      if (outcome.failure !== undefined) throw new KeepChanges(outcome.failure);
      hide(world, outcome, due);
      const told = quiet ? '' : progress(outcome.seconds ?? 0);
      return { stdout: render(outcome.output, format, knobs, due), stderr: told, exitCode: 0 };
    } catch (thrown) {
      const failure = thrown instanceof KeepChanges ? thrown.cause : thrown;
      if (!(thrown instanceof KeepChanges)) Object.assign(state, kept);
      const stderr = reportFailure(failure, { knobs, words });
      if (stderr === undefined) throw failure;
      return { stdout: '', stderr, exitCode: 1 };
    }
  });
}

class KeepChanges extends Error {
  override readonly cause: Error;

  constructor(cause: Error) {
    super(cause.message);
    this.cause = cause;
  }
}

interface Ran {
  readonly outcome: Outcome;
  readonly format: Format;
  readonly quiet: boolean;
}

function runCommand(host: FakeYcHost, world: World): Ran {
  const { words, command, rest, stray } = findCommand(host.argv, COMMANDS);
  // Flags of a command that is unknown can't be judged.
  if (command === undefined && stray !== undefined) throw unknownCommand(stray, words, '<command> [Global Flags...]');
  if (command === undefined) return refuseGroup(rest);
  const { flags, operands } = parseFlags(rest, { ...GLOBAL_FLAGS, ...command.flags });
  if (flags.bool('help')) throw new FakeFailure('help is not emulated');
  checkOperands(command, operands, world.knobs);
  requireFlags(flags, command.required ?? []);
  const format = formatOf(flags);
  checkProfile(host, flags, world);
  const outcome = command.run({ world, flags, operands, env: host.env, readFile: host.readFile });
  return { outcome, format, quiet: flags.bool('no-user-output') };
}

/** A group alone shows its help. */
function refuseGroup(rest: readonly string[]): never {
  parseFlags(rest, ROOT_FLAGS);
  throw new FakeFailure('help is not emulated');
}

function checkOperands(command: Command, operands: readonly string[], knobs: FakeYcKnobs): void {
  const [word] = operands;
  if (word === undefined || command.operands === '<NAME|ID>' || command.operands === '<ID>') return;
  if (command.operands === '<NAME>' && knobs.positionalCreateName && operands.length === 1) return;
  const kind = command.words.split(' ').at(-2)?.toUpperCase();
  const usage = command.operands === '' ? '' : `<${kind}-NAME> `;
  throw unknownCommand(word, command.words, `${usage}[Flags...] [Global Flags...]`);
}

function formatOf(flags: Flags): Format {
  const text = flags.text('format') ?? 'text';
  if (text === 'json-rest') throw new FakeFailure('--format json-rest is not emulated');
  if (!isFormat(text)) throw new FlagFailure(`unknown output format "${text}"`);
  return text;
}

/** Its home holds the program's profiles; how it misses them is not recorded. */
function checkProfile(host: FakeYcHost, flags: Flags, { state }: World): void {
  if (host.env['HOME'] === undefined) throw new FlagFailure('$HOME is not defined');
  const name = flags.text('profile') ?? 'default';
  if (state.profiles?.includes(name) === false) throw new FlagFailure(`profile "${name}" not found`);
}

function hide(world: World, outcome: Outcome, due: DueFaults): void {
  for (const action of due.beside) {
    if (action.kind !== 'hide') continue;
    const tables: readonly Record<string, Resource>[] = Object.values(world.state.resources);
    for (const table of tables) {
      const resource = table[outcome.made ?? ''];
      if (resource !== undefined) resource.hiddenReads = action.reads;
    }
  }
}

function render(output: Output, format: Format, knobs: FakeYcKnobs, due: DueFaults): string {
  const patched = due.beside.reduce(
    (seen, action) => (action.kind === 'patch' ? patch(seen, action.set) : seen),
    output,
  );
  const text = textOf(patched, format, knobs);
  return due.main?.kind === 'reshape' ? reshape(text, due.main.as) : text;
}

function textOf(output: Output, format: Format, knobs: FakeYcKnobs): string {
  if (output.kind === 'object') return renderObject(output.value, format);
  if (output.kind === 'deleted') return knobs.deleteOutput ? `${knobs.deleteOutput}\n\n` : '';
  const { emptyList = '[]' } = knobs;
  if (output.rows.length === 0 && format === 'json') return emptyList === '' ? '' : `${emptyList}\n\n`;
  return renderList(output.rows, output.columns, format);
}

function versionAnswer(knobs: FakeYcKnobs, platform: string): Answer {
  const version = knobs.version ?? (knobs.dialect === '0.x' ? '0.131.1' : '1.40.0');
  return { stdout: `Yandex Cloud CLI ${version} ${platform}\n`, stderr: '', exitCode: 0 };
}

function withEcho(answer: Answer, due: DueFaults): Answer {
  const told = { ...answer };
  for (const action of due.beside)
    if (action.kind === 'echo') told[action.stream] = `${action.text}\n${told[action.stream]}`;
  return told;
}

function withNotice(answer: Answer, knobs: FakeYcKnobs): Answer {
  if (!knobs.updateNotice) return answer;
  const notice = 'You are using an old version of yc. Run `yc components update` to get the new one.\n';
  return { ...answer, stderr: `${notice}${answer.stderr}` };
}
