import { randomBytes, randomUUID } from 'node:crypto';
import type { FakeYcKnobs } from '../options.ts';
import { ClientFailure, CommandFailure, FlagFailure, RpcFailure } from './failures.ts';

const SERVER_IDS = ['server-request-id', 'client-request-id', 'server-trace-id', 'client-trace-id'];
const CLIENT_IDS = ['client-trace-id'];

export interface ReportContext {
  readonly knobs: FakeYcKnobs;
  readonly words: string;
}

/** A failure as stderr shows it; undefined for one that is not of yc's kind. */
export function reportFailure(failure: unknown, context: ReportContext): string | undefined {
  const old = context.knobs.dialect === '0.x';
  if (failure instanceof CommandFailure) return `ERROR: ${failure.message}\n`;
  if (failure instanceof FlagFailure) return `ERROR: ${old ? '' : 'execute command: '}${failure.message}\n`;
  if (failure instanceof ClientFailure) {
    if (!old) return `ERROR: execute command: run command: ${failure.message}\n`;
    return `ERROR: ${failure.message}\n${failure.traced ? traceBlock(CLIENT_IDS, context.words) : ''}`;
  }
  if (!(failure instanceof RpcFailure)) return undefined;
  return reportRpc(`rpc error: code = ${failure.code} desc = ${failure.message}`, context);
}

/** What the server said, with the ids of the call. */
export function reportRpc(text: string, { knobs, words }: ReportContext): string {
  const prefix = knobs.prefixRpcErrors ? 'execute command: run command: ' : '';
  return `ERROR: ${prefix}${text}\n${traceBlock(SERVER_IDS, words)}`;
}

/** Refused before a server was asked, for want of a login. */
export function reportLogin(text: string, { knobs, words }: ReportContext): string {
  const prefix = knobs.prefixRpcErrors ? 'execute command: run command: ' : '';
  return `ERROR: ${prefix}${text}\n${traceBlock(CLIENT_IDS, words)}`;
}

function traceBlock(names: readonly string[], words: string): string {
  const time = new Date().toISOString().replaceAll(':', '-').slice(0, 23);
  const file = ['yc', ...words.split(' ')].join('_');
  return [
    '',
    '',
    ...names.map((name) => `${name}: ${name === 'server-trace-id' ? serverTrace() : randomUUID()}`),
    '',
    `Use ${names.join(', ')} for investigation of issues in cloud support`,
    `If you are going to ask for help of cloud support, please send the following trace file: ~/.config/yandex-cloud/logs/${time}-${file}.txt`,
    '',
  ].join('\n');
}

function serverTrace(): string {
  const [one, other] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
  return `${one}:${other}:${one}:1`;
}
