import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { diagnostic } from '../core/codes.ts';
import type { Program } from '../providers/command-runner.ts';
import type { InventoryProvider, LifecycleProvider, ProviderRequest } from '../providers/lifecycle-provider.ts';
import type { OpenYandexRequest, ProgramCheck } from '../providers/yandex/open.ts';
import type { ResolvedExecutable } from '../providers/yandex/resolve-executable.ts';
import type { UserDataPlace } from '../providers/yandex/user-data.ts';
import type { EmulatedYc } from './emulated-yc.ts';
import { claimOf, removeLeftCopies } from './left-copies.ts';
import { isSet } from './options.ts';
import type { FamilyContext, OpenedInventory, ProviderFamily } from './provider-family.ts';

type Opened =
  | { readonly kind: 'open'; readonly provider: LifecycleProvider & InventoryProvider }
  | Extract<OpenedInventory, { kind: 'unusable' }>;

export interface YandexFamily extends ProviderFamily {
  /** Whether the program is there, and is a `yc`. */
  checkYc(): Promise<ProgramCheck>;
}

/** Yandex Cloud through `yc`: one provider for each distinct auth and settings, one executable for all of them. */
export function yandexFamily(context: FamilyContext): YandexFamily {
  const { offline, emulator, readOnly } = context;
  const executable = emulator ? emulated(context) : { ofRun: once(() => findYc(context)), close: nothing };
  const requestOf = (request: ProviderRequest): OpenYandexRequest => ({
    ...partsOf(context),
    auth: emulator ? EMULATOR_AUTH : request.auth,
    settings: request.settings ?? null,
    executable: executable.ofRun,
    readOnly,
  });
  const opened = new Map<string, Promise<Opened>>();
  return {
    open: (request) => {
      if (offline) return Promise.resolve({ kind: 'unusable', why: OFFLINE });
      const key = JSON.stringify([request.auth, request.settings]);
      const found =
        opened.get(key) ?? import('../providers/yandex/open.ts').then((it) => it.openYandex(requestOf(request)));
      opened.set(key, found);
      return found;
    },
    openReader: async (_scopeId, request) => {
      if (offline) return { kind: 'unusable', why: OFFLINE };
      const { openYandexReader } = await import('../providers/yandex/open.ts');
      return await openYandexReader(requestOf(request));
    },
    checkYc: async () => {
      const { checkProgram } = await import('../providers/yandex/open.ts');
      return await checkProgram({ ...partsOf(context), executable: executable.ofRun });
    },
    checkFiles: async (declaration) => {
      if (declaration.options['user_data_file'] === undefined) return [];
      const { userDataProblems } = await import('../providers/yandex/user-data.ts');
      // A stranger's playbook is not told what the caller's disk holds.
      return await userDataProblems(
        declaration,
        isSet(context.call.invocation.options, 'untrusted') ? null : placeOf(context),
      );
    },
    close: executable.close,
  };
}

const OFFLINE = diagnostic('UNDECIDED', 'offline: nothing was read.');
/** The fake takes any profile, and there is nothing behind it. */
const EMULATOR_AUTH = { type: 'yc_profile', credential: null, scopes: [], token: null, tokenEnv: null };

async function nothing(): Promise<void> {}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** The folders that a stranger may have filled: those of the playbooks, and those of their infra.yaml. */
function foldersOf({ project, further = [], place }: FamilyContext): readonly string[] {
  const own = [project?.source.fullPath ?? null, place.config.file];
  const others = further.flatMap(({ source, config }) => [source.fullPath, config.file]);
  return [...new Set([...own, ...others].flatMap((file) => (file === null ? [] : [dirname(file)])))];
}

async function findYc(context: FamilyContext): Promise<ResolvedExecutable> {
  const { resolveExecutable } = await import('../providers/yandex/resolve-executable.ts');
  const { cwd, env } = context.call.host;
  const given = context.call.flags.yc ?? (env['INFRA_YC'] || null);
  return await resolveExecutable({ given, path: env['PATH'], cwd, untrusted: foldersOf(context) });
}

function partsOf(context: FamilyContext) {
  return {
    credentials: context.place.config.credentials,
    environment: context.call.host.env,
    runnerOf: (program: Program) => context.call.host.runnerOf(program),
    userData: placeOf(context),
    signal: context.signal,
  };
}

function placeOf({ call: { host, flags }, project }: FamilyContext): UserDataPlace {
  return {
    folder: project === null ? null : dirname(project.source.fullPath),
    allowed: flags.allowPaths.map((path) => resolve(host.cwd, path)),
    uid: host.uid,
    tempFolder: tmpdir(),
    claim: () => claimOf(host),
    sweep: () => removeLeftCopies(host),
  };
}

/** The fake `yc`, put on disk when it is first needed. */
function emulated({ place, project, mayWrite }: FamilyContext) {
  let yc: Promise<EmulatedYc> | null = null;
  return {
    ofRun: async (): Promise<ResolvedExecutable> => {
      const { installEmulatedYc } = await import('./emulated-yc.ts');
      yc ??= installEmulatedYc({ folder: place.folder, playbook: project?.playbook ?? null, mayWrite });
      return { kind: 'found', path: (await yc).path };
    },
    close: async () => await (await yc)?.close(),
  };
}
