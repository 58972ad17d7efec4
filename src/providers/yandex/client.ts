import * as z from 'zod/mini';
import type { CommandResult, CommandRunner } from '../command-runner.ts';
import { type Asked, saysGone } from './absence.ts';
import { folderWords, getWords, listWords, suffix, type Words } from './commands.ts';
import { type KindDefinition, type Live, oneOf } from './define-kind.ts';
import { failureOf, IT_IS_GONE, notSaidOf, type YcFailure } from './errors.ts';
import { oneDocument } from './one-document.ts';
import { operationInAnswer } from './operation.ts';
import { listLimit, type YandexSettings } from './settings.ts';
import { id, word } from './wire.ts';

export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: YcFailure };

export interface Folder {
  readonly id: string;
  readonly cloudId: string;
  readonly status: string;
}

/** What a command came to that may have changed something. */
export type Sent =
  /** Null where what it printed is not looked at, or is nothing that can be used. */
  | {
      readonly kind: 'answered';
      readonly live: Live | null;
      /** Why it is nothing that can be used. */
      readonly problem: YcFailure['code'];
      /** Set where the answer is an operation in place of its result. */
      readonly operationId: string | null;
      readonly elapsedMs: number;
    }
  | { readonly kind: 'failed'; readonly failure: YcFailure; readonly elapsedMs: number };

const folderSchema = z.object({ id, cloud_id: z._default(z.string(), ''), status: z._default(word, '') });

/** The commands of one folder under one profile, and what their answers say. Every answer is checked whole or refused. */
export class YcClient {
  readonly settings: YandexSettings;
  readonly #runner: CommandRunner;
  readonly #profile: string;

  constructor(runner: CommandRunner, settings: YandexSettings, profile: string) {
    this.#runner = runner;
    this.settings = settings;
    this.#profile = profile;
  }

  /** Needs no profile and no network. */
  version(): Promise<CommandResult> {
    return this.#runner.run(['--version'], this.settings.commandTimeout);
  }

  async folder(): Promise<Answer<Folder>> {
    const { folderId } = this.settings;
    const answer = await this.#read(folderWords(folderId), { kind: 'folder', id: folderId });
    if (answer.kind === 'failed') return answer;
    const parsed = folderSchema.safeParse(answer.value);
    if (!parsed.success) return refused('INVALID_RESPONSE', 'the answer is no folder.');
    const { id: found, cloud_id: cloudId, status } = parsed.data;
    if (found !== folderId) return refused('SCOPE_MISMATCH', 'the answer is about another folder.');
    return { kind: 'ok', value: { id: found, cloudId, status } };
  }

  /** All of a kind in the folder, sorted by id; anything that may be missing makes it an error. */
  async list(definition: KindDefinition): Promise<Answer<readonly Live[]>> {
    const limit = listLimit(this.settings);
    const answer = await this.#read(listWords(definition, limit));
    if (answer.kind === 'failed') return answer;
    const rows = answer.value ?? [];
    if (!Array.isArray(rows)) return refused('INVALID_RESPONSE', 'the answer is no list.');
    if (rows.length >= limit)
      return refused(
        'INCOMPLETE_INVENTORY',
        `the list has as many rows as were asked for (${limit}), so there may be more.`,
      );
    const found: Live[] = [];
    for (const row of rows) {
      const parsed = this.#parse(definition, row);
      if (parsed.kind === 'failed') return parsed;
      found.push(parsed.value);
    }
    if (new Set(found.map((live) => live.id)).size !== found.length)
      return refused('INVALID_RESPONSE', 'the list has an id twice.');
    return { kind: 'ok', value: found.sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }

  /** Ids lead into every folder that the profile may read: only ours counts. NOT_FOUND is said of this very one alone. */
  async get(definition: KindDefinition, resourceId: string): Promise<Answer<Live>> {
    const answer = await this.#read(getWords(definition, resourceId), { kind: definition.kind, id: resourceId });
    if (answer.kind === 'failed') return answer;
    const parsed = this.#parse(definition, answer.value);
    if (parsed.kind === 'ok' && parsed.value.id !== resourceId)
      return refused('INVALID_RESPONSE', 'the answer is about another resource.');
    return parsed;
  }

  /** Runs a command that changes something, once. What a delete prints is not looked at. */
  async send(definition: KindDefinition, words: Words, timeoutSeconds: number): Promise<Sent> {
    const result = await this.#run(words, timeoutSeconds);
    const { elapsedMs } = result;
    if (!result.isSuccess) return { kind: 'failed', failure: failureOf(result, words), elapsedMs };
    const document = oneDocument(result.stdout);
    const parsed = document === undefined ? null : this.#parse(definition, document);
    const operationId = operationInAnswer(document);
    const live = parsed?.kind === 'ok' ? parsed.value : null;
    const problem = parsed?.kind === 'failed' ? parsed.failure.code : 'INVALID_RESPONSE';
    return { kind: 'answered', live, problem, operationId, elapsedMs };
  }

  #parse(definition: KindDefinition, row: unknown): Answer<Live> {
    const parsed = definition.parse(row);
    if (parsed === null) return refused('INVALID_RESPONSE', `the answer is no ${definition.kind} of the known shape.`);
    if (parsed.folderId !== this.settings.folderId)
      return refused('SCOPE_MISMATCH', `the answer is ${oneOf(definition.kind)} of another folder.`);
    return { kind: 'ok', value: parsed.live };
  }

  async #read(words: Words, asked: Asked | null = null): Promise<Answer<unknown>> {
    const result = await this.#run(words, this.settings.commandTimeout);
    const document = result.isSuccess ? oneDocument(result.stdout) : undefined;
    if (document !== undefined) return { kind: 'ok', value: document };
    const failure = failureOf(result, words);
    if (asked === null || failure.code !== 'NOT_FOUND') return { kind: 'failed', failure };
    return { kind: 'failed', failure: saysGone(result, asked) ? IT_IS_GONE : notSaidOf(failure) };
  }

  #run(words: Words, timeoutSeconds: number): Promise<CommandResult> {
    return this.#runner.run([...words, ...suffix(this.#profile, this.settings.folderId)], timeoutSeconds);
  }
}

function refused(code: YcFailure['code'], detail: string): Answer<never> {
  return {
    kind: 'failed',
    failure: { code, detail, hint: null, retryable: false, operationId: null, isDefinite: false },
  };
}
