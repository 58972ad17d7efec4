import { copyFile, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnostic } from '../../core/codes.ts';
import { DiagnosticError } from '../../core/diagnostics.ts';
import { shellCommand } from '../../views/shell.ts';
import type { CommandModule, Invocation } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { addExamples, addOutputFlags, readOutputFlags } from '../flags.ts';
import type { Host } from '../host.ts';
import { packageRoot } from '../package-root.ts';

/** How it looks is no part of what is shown. */
const STYLE: ReadonlySet<string> = new Set(['--no-color', '-q', '-v']);
/** What is shown, each a folder of fixtures/playbooks. */
const TOURS = [
  {
    name: 'org-foundation',
    intro: 'An empty organisation on the built-in emulator of the Google APIs; no account, no network.',
  },
  {
    name: 'yandex-gateway',
    intro: 'A gateway in an empty folder of Yandex Cloud, behind a fake yc that is a real program.',
  },
] as const;

/** Plans, applies and plans again, on the emulators, in a folder that is thrown away. */
export const demoCommand: CommandModule = {
  configure(command) {
    addExamples(addOutputFlags(command), ['infra demo']);
  },

  async run(host, { options, runOther }) {
    const { color, quiet, verbose, format } = readOutputFlags(options);
    if (format !== 'human')
      throw new DiagnosticError([
        diagnostic('NOT_AVAILABLE', `--format ${format}: the demo shows itself to people only.`, {
          hint: 'infra plan and infra apply answer in every format, with --emulator too',
        }),
      ]);
    const cwd = await temporaryFolder();
    const style = [...(color ? [] : ['--no-color']), ...(quiet ? ['-q'] : []), ...(verbose ? ['-v'] : [])];
    try {
      const inside = { ...host, cwd, env: { ...host.env, INFRA_EVENTLOG: undefined } };
      for (const { name, intro } of TOURS) {
        await copyFile(join(packageRoot(), 'fixtures/playbooks', name, 'playbook.yaml'), join(cwd, `${name}.yaml`));
        host.stdout.write(`${name === TOURS[0].name ? '' : '\n'}${intro}\n`);
        await tour(inside, `${name}.yaml`, runOther, style);
      }
      host.stdout.write('\nPlanned, applied exactly that, and nothing is left to do.\n');
      return EXIT.done;
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
  },
};

async function temporaryFolder(): Promise<string> {
  try {
    return await realpath(await mkdtemp(join(tmpdir(), 'infra-demo-')));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DiagnosticError([
      diagnostic('USAGE', `The demo needs a folder of its own, and none can be made in ${tmpdir()}: ${why}.`, {
        hint: 'set TMPDIR to a folder that can be written',
      }),
    ]);
  }
}

async function tour(
  host: Host,
  playbook: string,
  run: Invocation['runOther'],
  style: readonly string[],
): Promise<void> {
  const before = await plans(host);
  await step(host, run, ['plan', playbook, '--emulator', ...style], EXIT.done);
  const digest = (await plans(host)).find((name) => !before.includes(name)) ?? '';
  await step(host, run, ['apply', '--emulator', '--confirm', digest, ...style], EXIT.done);
  await step(host, run, ['plan', playbook, '--emulator', '--detailed-exitcode', ...style], EXIT.done);
}

/** Shows a command line, runs it, and insists on its exit code. */
async function step(
  host: Host,
  run: Invocation['runOther'],
  argv: readonly string[],
  expected: ExitCode,
): Promise<void> {
  host.stdout.write(`\n$ ${shellCommand(['infra', ...argv.filter((word) => !STYLE.has(word))])}\n`);
  const code = await run(argv, host);
  if (code !== expected)
    throw new DiagnosticError([
      diagnostic('BUG', `The demo's ${argv[0]} ended with exit code ${code}, not ${expected}.`),
    ]);
}

/** The digests of the plans that are kept. */
async function plans({ cwd }: Host): Promise<readonly string[]> {
  const names = await readdir(join(cwd, '.infra/emulator/plans')).catch((): string[] => []);
  return names.map((name) => name.replace(/\.json$/, ''));
}
