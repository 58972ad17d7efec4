import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Argument } from 'commander';
import { diagnostic } from '../../core/codes.ts';
import { DiagnosticError } from '../../core/diagnostics.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';
import type { FakeYcSeed } from '../../emulator/yc/options.ts';
import { renderJson } from '../../views/json/render.ts';
import type { CommandModule, Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { addExamples, addOutputFlags, type OutputFlags, readOutputFlags, wholeNumber } from '../flags.ts';
import type { Host } from '../host.ts';
import { number, text } from '../options.ts';
import { locate } from '../place.ts';
import { openStderrLog } from '../stderr-log.ts';
import { readWorkflowFlags } from '../workflow-flags.ts';

export const emulatorCommand: CommandModule = {
  configure(command) {
    command
      .addArgument(
        new Argument(
          '<what>',
          'google runs the emulator; yc puts a fake yc on disk; reset forgets what --emulator made',
        ).choices(['google', 'yc', 'reset']),
      )
      .option('--port <n>', 'port on 127.0.0.1 (default: any free one)', wholeNumber(0, 65_535))
      .option('--state <file>', 'keep the state in this file')
      .option('--folder <dir>', 'where yc is put (default .infra/emulator/bin)')
      .option(
        '--seed <file>',
        'JSON or YAML: organizations, billingAccounts, folders, projects, policies; for yc: folders, images, profiles, knobs',
      )
      .option('--latency <ms>', 'wait this long before each answer', wholeNumber(0, 60_000))
      .option('--config <file>', 'infra.yaml, beside which .infra lies (yc, reset)');
    addExamples(addOutputFlags(command), [
      'infra emulator google --port 8089 --state google.json',
      'infra emulator yc --folder ~/fake-yc --state ~/fake-yc/state.json',
      'infra emulator reset',
    ]);
  },

  run(host, invocation) {
    const flags = readOutputFlags(invocation.options);
    switch (invocation.operands[0]) {
      case 'reset':
        return reset(host, invocation, flags);
      case 'yc':
        return installYc(host, invocation, flags);
      default:
        return runGoogle(host, invocation, flags);
    }
  },
};

/** What there is without a seed: one folder in which every image is one. */
const YC_SEED: FakeYcSeed = { folders: [{ id: 'b1gexamplefolder0001' }], knobs: { anyImage: true } };

async function installYc(host: Host, { options }: Invocation, flags: OutputFlags): Promise<ExitCode> {
  const [{ installFakeYc }, { fakeYcProgram }, { parseYcSeed }] = await Promise.all([
    import('../../emulator/yc/install.ts'),
    import('../emulated-yc.ts'),
    import('../seed-file.ts'),
  ]);
  const seed = await readSeed(host, text(options, 'seed'), parseYcSeed);
  const { folder: infra } = await locate(host, { ...readWorkflowFlags(options), emulator: true }, false);
  const folder = text(options, 'folder');
  const state = text(options, 'state');
  if (folder === undefined || state === undefined) await infra.prepare();
  const path = await installFakeYc({
    folder: folder === undefined ? infra.ycFolder : resolve(host.cwd, folder),
    stateFile: state === undefined ? infra.ycState : resolve(host.cwd, state),
    program: fakeYcProgram(),
    seed: seed ?? YC_SEED,
  }).catch((error: unknown) => {
    throw usage(`The fake yc can't be put on disk: ${reason(error)}.`);
  });
  host.stdout.write(
    flags.format === 'human'
      ? `${path}\n`
      : renderJson({ format_version: FORMAT_VERSION, command: 'emulator', executable: path }),
  );
  return EXIT.done;
}

const STATE_HINT = 'name another file with --state; what --emulator made is forgotten with `infra emulator reset`';

/** Serves until a signal comes. */
async function runGoogle(host: Host, { options }: Invocation, flags: OutputFlags): Promise<ExitCode> {
  const log = await openStderrLog(host, flags);
  const { parseSeed } = await import('../seed-file.ts');
  const seed = await readSeed(host, text(options, 'seed'), parseSeed);
  const port = number(options, 'port');
  const stateFile = text(options, 'state');
  const latencyMs = number(options, 'latency');
  const { startEmulator } = await import('../emulator-state.ts');
  const stopped = new Promise<void>((done) => {
    host.onSignal(() => done());
  });
  const startOptions = {
    ...(port === undefined ? {} : { port }),
    ...(stateFile === undefined ? {} : { stateFile: resolve(host.cwd, stateFile) }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(seed === null ? {} : { seed }),
  };
  const emulator = await startEmulator(startOptions, STATE_HINT).catch((error: unknown) => {
    throw error instanceof DiagnosticError ? error : usage(`The emulator can't start: ${reason(error)}.`);
  });
  host.stdout.write(
    flags.format === 'human'
      ? `${emulator.url}\n`
      : renderJson({ format_version: FORMAT_VERSION, command: 'emulator', url: emulator.url }),
  );
  log.note('The emulator of the Google APIs is running; interrupt it to stop.');
  await stopped;
  await emulator.close();
  return EXIT.done;
}

async function readSeed<T>(host: Host, path: string | undefined, parseSeed: (value: unknown) => T): Promise<T | null> {
  if (path === undefined) return null;
  const [{ parse }, content] = await Promise.all([
    import('yaml'),
    readFile(resolve(host.cwd, path), 'utf8').catch((error: unknown) => {
      throw new DiagnosticError([diagnostic('FILE_UNREADABLE', `--seed ${path}: ${reason(error)}.`)]);
    }),
  ]);
  try {
    return parseSeed(parse(content));
  } catch (error) {
    throw usage(`--seed ${path}: ${reason(error)}.`);
  }
}

async function reset(host: Host, { options }: Invocation, flags: OutputFlags): Promise<ExitCode> {
  const { folder } = await locate(host, { ...readWorkflowFlags(options), emulator: true }, false);
  await folder.check();
  await rm(folder.path, { recursive: true, force: true });
  if (flags.format !== 'human')
    host.stdout.write(renderJson({ format_version: FORMAT_VERSION, command: 'emulator', removed: folder.path }));
  else (await openStderrLog(host, flags)).note(`Removed ${folder.path}: the emulator starts afresh.`);
  return EXIT.done;
}

function usage(detail: string): DiagnosticError {
  return new DiagnosticError([diagnostic('USAGE', detail)]);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
