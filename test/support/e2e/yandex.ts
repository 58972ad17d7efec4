import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { controlFakeYc, type FakeYcControl } from '../../../src/emulator/yc/control.ts';
import { installFakeYc } from '../../../src/emulator/yc/install.ts';
import type { FakeYcSeed } from '../../../src/emulator/yc/options.ts';
import { infraInside } from '../cli-host.ts';
import { type Ended, infra, ROOT, type RunsInfra, type SpawnOptions, startInfra } from '../cli-process.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { createYcInside } from '../yc-inside.ts';
import { expectExit, linesOf, parsed } from './cloud.ts';
import {
  type ApplyDocument,
  applySchema,
  diagnosticSchema,
  type FailureDocument,
  failureSchema,
  type PlanDocument,
  planSchema,
} from './contract.ts';

export const FOLDER = 'b1gexamplefolder0001';
export const OTHER_FOLDER = 'b1gexamplefolder0002';
export const IMAGE = 'fd8example0000000000';
/** In the order in which they can be made. */
export const ADDRESSES = ['network', 'subnet', 'firewall', 'address', 'boot_disk', 'instance'];
const GATEWAY = readFileSync(join(ROOT, 'fixtures/playbooks/yandex-gateway/playbook.yaml'), 'utf8');
const SEED: FakeYcSeed = {
  folders: [{ id: FOLDER }, { id: OTHER_FOLDER }],
  images: [{ id: IMAGE, minDiskGib: 8 }],
  profiles: ['default', 'sandbox'],
};
const CONFIG = `credentials:
  sandbox: { type: yc_profile, profile: sandbox }
stacks:
  gateway: { credential: sandbox }
`;

const entry = z.strictObject({
  urn: z.string(),
  address: z.string(),
  operation_id: z.string().regex(/^[0-9a-f]{32}$/),
  verdict: z.enum(['found', 'not_found', 'unreadable', 'conflict']),
  resource_id: z.string().nullable(),
  hint: z.string().nullable(),
});
const recoverSchema = z.looseObject({
  format_version: z.literal('1.0'),
  command: z.literal('recover'),
  resolved: z.array(entry),
  unresolved: z.array(entry),
  rolled_back: z.array(entry),
  abandoned: z.array(entry),
  diagnostics: z.array(diagnosticSchema),
});
export type RecoverDocument = z.infer<typeof recoverSchema>;

/** A folder of Yandex Cloud behind a fake `yc` on disk, and a folder of one's own to run the built program in. */
export async function openYcCloud(seed: FakeYcSeed = {}): Promise<YcCloud> {
  const tools = temporaryFolder();
  const seedFile = join(tools, 'seed.json');
  writeFileSync(seedFile, JSON.stringify({ ...SEED, ...seed }));
  const [folder, state] = [join(tools, 'bin'), join(tools, 'state.json')];
  const put = await infra(['emulator', 'yc', '--folder', folder, '--state', state, '--seed', seedFile]);
  expectExit(put, 0);
  return cloudOf(tools, put.stdout.trim(), infra);
}

/** The same with the program inside this process, and the fake `yc` as well. */
export async function openYcCloudInside(seed: FakeYcSeed = {}): Promise<YcCloud> {
  const tools = temporaryFolder();
  // Has to be there and to be nobody else's, but nothing starts it.
  const executable = await installFakeYc({
    folder: join(tools, 'bin'),
    stateFile: join(tools, 'state.json'),
    program: join(tools, 'none.cjs'),
    seed: { ...SEED, ...seed },
  });
  return cloudOf(tools, executable, allInside);
}

function allInside(argv: readonly string[], options: SpawnOptions = {}): Promise<Ended> {
  return infraInside(argv, {
    ...options,
    runnerOf: (program) =>
      createYcInside({ ...program, stateFile: join(dirname(program.executable), '../state.json') }),
  });
}

function cloudOf(tools: string, executable: string, runs: RunsInfra): YcCloud {
  const fake = controlFakeYc(join(tools, 'state.json'));
  const cloud = new YcCloud(temporaryFolder(), tools, executable, fake, runs);
  cloud.writeText('.config/infra/config.yaml', CONFIG);
  cloud.gateway();
  return cloud;
}

/** A second cloud that is where the first one is by now, at a tenth of what it takes to get there. */
export function copyOf(cloud: YcCloud): YcCloud {
  const [home, tools] = [temporaryFolder(), temporaryFolder()];
  cpSync(cloud.folder, home, { recursive: true });
  cpSync(cloud.tools, tools, { recursive: true });
  const executable = join(tools, relative(cloud.tools, cloud.executable));
  writeFileSync(executable, readFileSync(executable, 'utf8').replaceAll(cloud.tools, tools));
  return new YcCloud(home, tools, executable, controlFakeYc(join(tools, 'state.json')), cloud.runs);
}

export class YcCloud {
  readonly folder: string;
  readonly tools: string;
  readonly executable: string;
  readonly fake: FakeYcControl;
  readonly runs: RunsInfra;

  constructor(folder: string, tools: string, executable: string, fake: FakeYcControl, runs: RunsInfra) {
    this.runs = runs;
    this.folder = folder;
    this.tools = tools;
    this.executable = executable;
    this.fake = fake;
  }

  /** Writes the gateway, edited. */
  gateway(edit: (text: string) => string = (text) => text): void {
    this.writeText('playbook.yaml', edit(GATEWAY));
  }

  writeText(file: string, text: string, mode = 0o600): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.folder, file), text, { mode });
  }

  readText(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  env(extra: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
    return { INFRA_YC: this.executable, ...extra };
  }

  run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.runs(argv, { cwd: this.folder, env: this.env(env) });
  }

  start(argv: readonly string[]): ReturnType<typeof startInfra> {
    return startInfra(argv, { cwd: this.folder, env: this.env() });
  }

  async plan(...flags: readonly string[]): Promise<Ended & { readonly plan: PlanDocument }> {
    const ended = await this.run(['plan', 'playbook.yaml', '--format', 'json', ...flags]);
    return { ...ended, plan: parsed(ended, planSchema) };
  }

  async apply(digest: string | null, ...flags: readonly string[]): Promise<Ended & { readonly report: ApplyDocument }> {
    const ended = await this.run(['apply', 'playbook.yaml', '--confirm', digest ?? '', '--format', 'json', ...flags]);
    return { ...ended, report: parsed(ended, applySchema) };
  }

  async converge(...flags: readonly string[]): Promise<Ended & { readonly report: ApplyDocument }> {
    return this.apply((await this.plan()).plan.digest, ...flags);
  }

  async fail(
    argv: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ended & { readonly failure: FailureDocument }> {
    const ended = await this.run([...argv, '--format', 'json'], env);
    return { ...ended, failure: parsed(ended, failureSchema) };
  }

  async recover(...flags: readonly string[]): Promise<Ended & { readonly document: RecoverDocument }> {
    const ended = await this.run(['recover', '--format', 'json', ...flags]);
    return { ...ended, document: parsed(ended, recoverSchema) };
  }

  /** What somebody else does. */
  async yc(...words: readonly string[]): Promise<unknown> {
    const { stateFile } = this.fake;
    const other = createYcInside({ stateFile, environment: { HOME: '/nonexistent' } });
    const { stdout, stderr } = await other.run([...words, '--folder-id', FOLDER, '--format', 'json'], 20);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout);
  }

  /** The commands that may have changed something, up to their first flag. */
  get writes(): readonly string[] {
    return this.commands.filter((words) => !/ (list|get)$/.test(words) && words !== '');
  }

  get commands(): readonly string[] {
    return this.fake.commands().map(({ argv }) =>
      argv
        .slice(
          0,
          argv.findIndex((word) => word.startsWith('--')),
        )
        .join(' '),
    );
  }

  /** How many of each kind there are, but for the security groups that networks bring along. */
  get counts(): Readonly<Record<string, number>> {
    const { resources } = this.fake.state();
    return Object.fromEntries(
      Object.entries(resources).map(([kind, all]) => [
        kind,
        Object.values(all).filter(({ name }) => !name.startsWith('default-sg-')).length,
      ]),
    );
  }

  get rows(): readonly Readonly<Record<string, unknown>>[] {
    return linesOf(this.readText('.infra/eventlog.jsonl')).map((line) => JSON.parse(line));
  }
}

export function urnOf(service: string, kind: string, name: string): string {
  return `yandex:${service}:${kind}:${FOLDER}/acme/gateway/${name}`;
}

export const EMPTY = { network: 0, subnet: 0, security_group: 0, address: 0, disk: 0, instance: 0 };
export const ONE_EACH = { network: 1, subnet: 1, security_group: 1, address: 1, disk: 1, instance: 1 };

export function outcomes({ report }: { readonly report: ApplyDocument }): Readonly<Record<string, string>> {
  return Object.fromEntries(report.steps.map(({ address, outcome }) => [address, outcome]));
}

export function everywhere(value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(ADDRESSES.map((address) => [address, value]));
}

/** All that a run left on disk. */
export function everythingIn(folder: string): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? everythingIn(path) : readFileSync(path, 'utf8')))
    .join('\n');
}
