import { afterEach } from 'vitest';
import type { EmulatorSeed } from '../../../src/emulator/google/options.ts';
import {
  type GoogleEmulator,
  type GoogleEmulatorOptions,
  startGoogleEmulator,
} from '../../../src/emulator/google/server.ts';

export const ORG = 'organizations/123456789012';
export const ACCOUNT = 'billingAccounts/0A1B2C-3D4E5F-6A7B8C';
export const CLOSED_ACCOUNT = 'billingAccounts/FFFFFF-000000-FFFFFF';

export const SEED: EmulatorSeed = {
  organizations: [{ id: '123456789012', displayName: 'acme.example', directoryCustomerId: 'C0acme' }],
  billingAccounts: [
    { id: '0A1B2C-3D4E5F-6A7B8C', displayName: 'Main' },
    { id: 'FFFFFF-000000-FFFFFF', displayName: 'Closed', open: false },
  ],
};

/** One project and two folders beside the organisation. */
export const PEOPLED: EmulatorSeed = {
  ...SEED,
  folders: [
    { id: '1001', displayName: 'shared', parent: ORG },
    { id: '1002', displayName: 'platform', parent: ORG },
  ],
  projects: [{ projectId: 'acme-web', number: '555000111222', displayName: 'Acme Web', parent: 'folders/1001' }],
};

/** A decoded answer whose members a test picks at will. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Tree;
}

/** JSON of unknown shape: every member is there for the asking, and a missing one is undefined. */
export interface Tree {
  readonly [key: string]: Tree;
}

export interface Client {
  readonly emulator: GoogleEmulator;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Starts a write and polls its operation to the end; answers the operation. */
  settle(started: Promise<Answer>): Promise<Tree>;
  as(token: string): Client;
}

const running: GoogleEmulator[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()));
});

export async function startEmulator(options: GoogleEmulatorOptions = {}): Promise<Client> {
  const emulator = await startGoogleEmulator({ seed: SEED, ...options });
  running.push(emulator);
  return clientFor(emulator, 'a-token');
}

function clientFor(emulator: GoogleEmulator, token: string): Client {
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(emulator.url + path, method, token, body, headers);
  return {
    emulator,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body = {}, headers = {}) => call('POST', path, body, headers),
    put: (path, body = {}) => call('PUT', path, body),
    patch: (path, body = {}) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    settle: (started) => settle(started, (path) => call('GET', path)),
    as: (other) => clientFor(emulator, other),
  };
}

async function send(
  url: string,
  method: string,
  token: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): Tree {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

async function settle(started: Promise<Answer>, get: (path: string) => Promise<Answer>): Promise<Tree> {
  const first = await started;
  if (first.status !== 200) throw new Error(`the write was refused: ${first.text}`);
  let operation = first.json;
  for (let poll = 0; operation['done'] === undefined && poll < 10; poll++) {
    const version = /^operations\/(acf|acat)\./.test(String(operation['name'])) ? 'v1' : 'v3';
    operation = (await get(`/${version}/${operation['name']}`)).json;
  }
  return operation;
}

/** The ErrorInfo reason or PreconditionFailure type of a refusal. */
export function detailOf(answer: Answer, kind: string): Tree | undefined {
  const details: unknown = answer.json['error']?.['details'];
  if (!Array.isArray(details)) return undefined;
  return details.find((detail: Tree) => String(detail['@type']).endsWith(`.${kind}`));
}
