import { randomBytes } from 'node:crypto';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import type { EngineEvent } from '../core/events.ts';
import type { EnginePorts } from '../engine/ports.ts';
import type { ReaderPool } from '../engine/readers.ts';
import type { HasHistory } from '../eventlog/history.ts';
import type { GrantsFound, GrantsRequest } from '../providers/google/uncovered-grants.ts';
import type { OpenedProvider, ProviderRequest } from '../providers/lifecycle-provider.ts';
import type { ProgramCheck } from '../providers/yandex/open.ts';
import { CATALOGUES } from './catalogues.ts';
import { type GoogleFamily, googleFamily, type OpenedClient } from './compose-google.ts';
import { openLogs } from './compose-logs.ts';
import { type YandexFamily, yandexFamily } from './compose-yandex.ts';
import { noAuth, OF_THE_LOG } from './no-auth.ts';
import type { Place } from './place.ts';
import type { FamilyContext, OpenedInventory, ProviderFamily } from './provider-family.ts';
import type { Project, WorkflowCall } from './workflow-types.ts';

export interface Composition {
  readonly ports: EnginePorts;
  /** The log's rows. */
  readonly history: HasHistory;
  close(): Promise<void>;
}

/** Providers that have no way to write. */
export interface Readers extends ReaderPool {
  /** One that is opened on a scope. */
  openOn(scope: string, request: ProviderRequest): Promise<OpenedInventory>;
  /** Grants on what a stack owns that no fact covers. Throws DiagnosticError without usable auth. */
  findGrants(request: GrantsRequest & Pick<ProviderRequest, 'auth' | 'endpoint'>): Promise<GrantsFound>;
  /** A client of Google's APIs through which only reads pass, and what is known of whose authority it uses. */
  openGoogle(request: ProviderRequest): Promise<OpenedClient>;
  /** Whether the program is there through which Yandex Cloud is reached: needs nobody's authority. */
  checkYc(): Promise<ProgramCheck>;
  close(): Promise<void>;
}

/** The only place that names concrete providers and stores. Nothing is opened, read or loaded before it is used. */
export async function composePorts(
  call: WorkflowCall,
  project: Project,
  emit: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<Composition> {
  const { offline, emulator } = project.options;
  const readOnly = call.command === 'adopt';
  const { mayWrite } = project;
  return compose({ call, place: project, project, offline, emulator, mayWrite, readOnly, signal }, emit);
}

/** The same for a verb without a playbook. */
export async function compose(context: FamilyContext, emit: (event: EngineEvent) => void): Promise<Composition> {
  const { call, place } = context;
  const families = familiesOf(context);
  const refused = authRefuser(context);
  const logs = await openLogs(call, place);
  const close = async () => {
    await families.close();
    await logs.close();
  };
  return {
    ports: {
      catalogues: CATALOGUES,
      pool: {
        open: async (request) => refused(request) ?? (await open(families, request)),
        close: () => families.close(),
      },
      log: logs.log,
      clock: { now: () => call.host.now() },
      randomHex: (bytes) => randomBytes(bytes).toString('hex'),
      emit,
      checkFiles: async (declaration) =>
        (await families.of(declaration.action.provider)?.checkFiles?.(declaration)) ?? [],
    },
    history: logs.log,
    close,
  };
}

interface Families {
  readonly google: GoogleFamily;
  readonly yandex: YandexFamily;
  of(provider: string): ProviderFamily | null;
  close(): Promise<void>;
}

function familiesOf(context: FamilyContext): Families {
  const google = googleFamily(context);
  const yandex = yandexFamily(context);
  const all: ReadonlyMap<string, ProviderFamily> = new Map<string, ProviderFamily>([
    ['google', google],
    ['yandex', yandex],
  ]);
  return {
    google,
    yandex,
    of: (provider) => all.get(provider) ?? null,
    close: async () => {
      for (const family of all.values()) await family.close();
    },
  };
}

function open(families: Families, request: ProviderRequest): Promise<OpenedProvider> {
  const family = families.of(request.provider);
  return family === null ? Promise.resolve(notImplemented(request)) : family.open(request);
}

type Unusable = Extract<OpenedProvider, { kind: 'unusable' }>;

/** Refuses what has no auth where there is no step that could have said one: a provider would speak of that. */
function authRefuser({
  call,
  project,
  offline,
  emulator,
}: FamilyContext): (request: ProviderRequest) => Unusable | null {
  const isForPlaybooks = project !== null || offline || emulator;
  return ({ auth }) =>
    auth !== null || isForPlaybooks ? null : { kind: 'unusable', why: noAuth(call.command, OF_THE_LOG) };
}

function notImplemented({ provider }: ProviderRequest): Unusable {
  const detail = `The provider ${provider} is not part of this version.`;
  return { kind: 'unusable', why: diagnostic('PROVIDER_NOT_IMPLEMENTED', detail) };
}

/** Readers for a verb that changes nothing anywhere; of the first playbook an emulator that starts empty is made. */
export function composeReaders(
  call: WorkflowCall,
  place: Place,
  [first, ...further]: readonly Project[],
  signal: AbortSignal,
): Readers {
  const { emulator, offline } = call.flags;
  const project = first ?? null;
  const context = { call, place, project, further, offline, emulator, mayWrite: false, readOnly: true, signal };
  const families = familiesOf(context);
  const refused = authRefuser(context);
  const openOn = async (scopeId: string, request: ProviderRequest): Promise<OpenedInventory> =>
    (await families.of(request.provider)?.openReader(scopeId, request)) ?? notImplemented(request);
  const readers = new Map<string, Promise<OpenedInventory>>();
  return {
    openOn,
    open: (request) => {
      const key = JSON.stringify(request);
      const found = readers.get(key) ?? Promise.resolve(refused(request) ?? openOn('', request));
      readers.set(key, found);
      return found;
    },
    findGrants: async ({ auth, endpoint, ...about }) => {
      const opened = await families.google.openClient({ provider: 'google', auth, endpoint });
      if (opened.kind === 'unusable') throw new DiagnosticError([{ ...opened.why, severity: 'error' }]);
      const { findUncoveredGrants } = await import('../providers/google/uncovered-grants.ts');
      return findUncoveredGrants(opened.client, about);
    },
    openGoogle: async (request) => {
      const opened = await families.google.openClient(request);
      if (opened.kind === 'unusable') return opened;
      const { readOnlyClient } = await import('../providers/google/reader.ts');
      return { ...opened, client: readOnlyClient(opened.client) };
    },
    checkYc: () => families.yandex.checkYc(),
    close: () => families.close(),
  };
}
