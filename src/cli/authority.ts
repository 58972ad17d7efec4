import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { UNSCOPED } from '../core/facts.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { didYouMean } from '../core/nearest.ts';
import type { AuthSpec, EndpointSpec, Step } from '../core/step.ts';
import { prepare } from '../engine/prepare.ts';
import type { OwnAuthority } from '../engine/readers.ts';
import { literalValue } from '../playbook/shape.ts';
import { child } from '../playbook/tree.ts';
import { CATALOGUES } from './catalogues.ts';
import { endpointOrigin } from './configuration.ts';
import type { Place } from './place.ts';
import type { WorkflowFlags } from './workflow-flags.ts';
import type { Project } from './workflow-types.ts';

/** Whose authority a verb that only reads has, and where. */
export interface Authority {
  /**
   * Of a stack's resources in one provider's cloud, or whatever they are; `step`: which declares what is looked at.
   * Throws DiagnosticError (UNKNOWN_CREDENTIAL).
   */
  authOf(stack: string, provider?: string, step?: Own): Required<OwnAuthority>;
  /** Which rows of the log count. */
  readonly target: string;
}

/** What a step says itself. */
type Own = Pick<Step, 'auth' | 'endpoint' | 'settings'>;

/**
 * `--credential`, else the caller's stacks.<S>, else what the playbooks say; `--endpoint`, else theirs, else that of the
 * log's rows: like a playbook's it has to be allowed, and gets nothing of the caller's.
 */
export function authorityOf(
  flags: WorkflowFlags,
  place: Place,
  projects: readonly Project[],
  ofRows: string | null = null,
): Authority {
  const given = flags.endpoint === null ? null : endpointSpec(flags.endpoint);
  if (flags.credential !== null) credentialSpec(flags.credential, place, given !== null);
  const steps = projects.flatMap((project) => provided(project));
  const recorded = given === null && ofRows !== null && URL.canParse(ofRows) ? endpointSpec(ofRows) : null;
  return {
    target: ofRows ?? targetOf(flags, projects),
    authOf: (stack, provider, step) => {
      const mine = steps.filter(({ step }) => provider === undefined || step.provider === provider);
      const own = mine.filter((item) => item.stack === stack);
      const fallback = own.length > 0 ? own : mine;
      const endpoint = given ?? recorded ?? step?.endpoint ?? mostCommon(fallback.map((item) => item.step.endpoint));
      const name = flags.credential ?? place.config.stacks.get(stack)?.credential ?? null;
      const named = name === null ? null : credentialSpec(name, place, given !== null);
      const isOf = flags.credential !== null || named === null || fits(named, provider);
      const auth = named !== null && isOf ? named : (step?.auth ?? mostCommon(fallback.map((item) => item.step.auth)));
      const declared = step?.settings ?? mostCommon(own.map((item) => item.step.settings));
      return { auth, endpoint, settings: settingsOf(place, stack, declared) };
    },
  };
}

/** Whether a stack's credential is one for that provider's cloud. */
function fits({ type }: AuthSpec, provider: string | undefined): boolean {
  return provider === undefined || (type === 'yc_profile') === (provider === 'yandex');
}

/** Those of infra.yaml, over them the playbook's, over them the caller's own. */
function settingsOf({ config }: Place, stack: string, declared: Step['settings']): JsonObject | null {
  const node = child(config.project?.defaults ?? null, 'settings');
  const base = node === null ? null : literalValue(node);
  const parts = [base, declared, config.stacks.get(stack)?.settings ?? null];
  const said = parts.filter((part): part is JsonObject => part !== null && isJsonObject(part));
  return said.length === 0 ? null : Object.assign({}, ...said);
}

interface ProvidedStep {
  readonly step: Step;
  readonly stack: string;
}

function provided({ playbook, options }: Project): readonly ProvidedStep[] {
  return playbook.steps
    .filter((step) => step.skip === null && step.auth !== null)
    .map((step) => ({ step, stack: step.stack ?? options.stack ?? UNSCOPED }));
}

/**
 * An auth that stands for one of the caller's credentials. The variable of its token is named only for an endpoint that
 * the caller gave with it: a playbook's endpoint gets what the playbook spells, and nothing of the caller's.
 */
export function credentialSpec(name: string, { config }: Place, forOwnEndpoint: boolean): AuthSpec {
  const names = Object.keys(config.credentials);
  const credential = names.includes(name) ? config.credentials[name] : undefined;
  if (credential === undefined) {
    const known = names.length === 0 ? 'none is configured' : `there are ${names.join(', ')}`;
    const detail = `The credential ${name} is not among those of your own config.yaml: ${known}.`;
    throw new DiagnosticError([diagnostic('UNKNOWN_CREDENTIAL', detail, { hint: didYouMean(name, names) })]);
  }
  const tokenEnv = forOwnEndpoint ? (credential.token_env ?? null) : null;
  return { type: credential.type, credential: name, scopes: [], token: null, tokenEnv };
}

/** A base URL as the addresses of the services below it. Throws DiagnosticError (USAGE). */
export function endpointSpec(word: string): EndpointSpec {
  endpointOrigin(word, '--endpoint');
  const { origin, pathname, search, hash } = new URL(word);
  if (search !== '' || hash !== '')
    throw new DiagnosticError([diagnostic('USAGE', '--endpoint is a base URL, without a query and a fragment.')]);
  const base = `${origin}${pathname.replace(/\/{1,100}$/, '')}`;
  return { crm: `${base}/v3`, billing: `${base}/v1`, serviceusage: `${base}/v1` };
}

function targetOf({ emulator, endpoint }: WorkflowFlags, projects: readonly Project[]): string {
  if (emulator) return 'emulator';
  if (endpoint !== null) return endpointOrigin(endpoint, '--endpoint');
  const targets = projects.map(
    // Whatever is selected: a target may also be something owned that no playbook declares.
    ({ playbook, options }) =>
      prepare({ catalogues: CATALOGUES }, playbook, { ...options, targets: [], excludes: [] }, 'plan').target,
  );
  const [first = 'cloud', ...others] = new Set(targets);
  if (others.length === 0) return first;
  const detail = `The playbooks are about several clouds (${[first, ...others].join(', ')}), and what is owned belongs to one.`;
  throw new DiagnosticError([
    diagnostic('USAGE', detail, { hint: 'say which with --endpoint, or give fewer playbooks' }),
  ]);
}

function mostCommon<T>(values: readonly (T | null)[]): T | null {
  const counts = new Map<string, { readonly value: T | null; count: number }>();
  for (const value of values) {
    const key = JSON.stringify(value);
    const known = counts.get(key) ?? { value, count: 0 };
    known.count += 1;
    counts.set(key, known);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.value ?? null;
}
