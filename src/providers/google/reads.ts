import type { Diagnostic } from '../../core/diagnostics.ts';
import type { JsonObject } from '../../core/json.ts';

/** What one read gave: its value, or why not, with the HTTP status where there was an answer. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'failed'; readonly status: number | null; readonly why: Diagnostic };

/**
 * The reads that observing needs, each sent at most once a phase however many steps ask. Lists are whole: all pages.
 * Names carry their collection (`folders/1`, `billingAccounts/X`) but for project ids.
 */
export interface Reads {
  organization(name: string): Promise<Answer<JsonObject>>;
  folder(name: string): Promise<Answer<JsonObject>>;
  /** Direct children that are not deleted. */
  foldersIn(parent: string): Promise<Answer<readonly JsonObject[]>>;
  /** Active folders of this display name that the caller may see, wherever they are; lags behind changes. */
  foldersNamed(displayName: string): Promise<Answer<readonly JsonObject[]>>;
  project(projectId: string): Promise<Answer<JsonObject>>;
  /** Lifecycle state, from a list that was asked for anyway, else (drift, adopt) by one look; null where nothing tells. */
  projectState(projectId: string): Promise<string | null>;
  /** Direct children, those pending deletion included. */
  projectsIn(parent: string): Promise<Answer<readonly JsonObject[]>>;
  liens(projectName: string): Promise<Answer<readonly JsonObject[]>>;
  billingAccount(name: string): Promise<Answer<JsonObject>>;
  billingInfo(projectId: string): Promise<Answer<JsonObject>>;
  /** ProjectBillingInfo of what is linked to the account, by project id. */
  linkedTo(account: string): Promise<Answer<ReadonlyMap<string, JsonObject>>>;
  /** By service name. */
  enabledServices(projectId: string): Promise<Answer<ReadonlyMap<string, JsonObject>>>;
  /** Version 3. */
  policy(resource: string): Promise<Answer<JsonObject>>;
}

/** A whole list as the API words one page of it. */
export function listAnswer(member: string, answer: Answer<readonly JsonObject[]>): Answer<JsonObject> {
  return answer.kind === 'ok' ? { kind: 'ok', value: { [member]: answer.value } } : answer;
}

export function mapAnswer(member: string, answer: Answer<ReadonlyMap<string, JsonObject>>): Answer<JsonObject> {
  return answer.kind === 'ok' ? { kind: 'ok', value: { [member]: [...answer.value.values()] } } : answer;
}
