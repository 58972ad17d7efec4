import { type Command, Option } from 'commander';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { UNSCOPED } from '../core/facts.ts';
import type { AuthSpec, EndpointSpec } from '../core/step.ts';
import type { InventoryProvider } from '../providers/lifecycle-provider.ts';
import { authorityOf } from './authority.ts';
import { text } from './options.ts';
import { locate, type Place } from './place.ts';
import { withReaders } from './reading.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** What is discovered, and with whose authority. */
export interface OpenedScope {
  readonly reader: InventoryProvider;
  readonly place: Place;
  readonly stack: string | null;
  readonly auth: AuthSpec | null;
  readonly endpoint: EndpointSpec | null;
}

/** Flags of verbs that discover a scope. */
export function addScopeFlags(command: Command): Command {
  return command
    .addOption(new Option('--provider <family>', 'whose cloud it is').choices(['google', 'yandex']).default('google'))
    .option('--from <scope>', 'organizations/N, folders/N or projects/p')
    .option('--folder <id>', 'the same as --from folders/<id>')
    .option('--stack <stack>', 'whose credential is used (stacks.<stack> of your own config.yaml)');
}

/** Opens a reader on the scope that the flags name. Throws DiagnosticError where there is none, or no usable auth. */
export async function withScope<T>(call: WorkflowCall, body: (scope: OpenedScope) => Promise<T>): Promise<T> {
  const { host, flags, invocation } = call;
  const provider = text(invocation.options, 'provider') ?? 'google';
  if (provider !== 'google')
    throw new DiagnosticError([diagnostic('PROVIDER_NOT_IMPLEMENTED', `${provider} is not part of this version.`)]);
  const scope = scopeOf(text(invocation.options, 'from') ?? null, text(invocation.options, 'folder') ?? null);
  const place = await locate(host, flags, false);
  const stack = flags.stack ?? place.config.stack;
  const own = authorityOf(flags, place, []).authOf(stack ?? UNSCOPED);
  if (own.auth === null && !flags.emulator) throw noAuth(call.command);
  return withReaders(call, place, null, async (readers) => {
    const opened = await readers.openOn(scope, { provider, ...own });
    if (opened.kind === 'unusable') throw new DiagnosticError([{ ...opened.why, severity: 'error' }]);
    return body({ reader: opened.provider, place, stack, ...own });
  });
}

function scopeOf(from: string | null, folder: string | null): string {
  if (from !== null && folder !== null && from !== `folders/${folder}`)
    throw new DiagnosticError([diagnostic('USAGE', '--from and --folder name two scopes; give one of them.')]);
  const scope = from ?? (folder === null ? null : folder.startsWith('folders/') ? folder : `folders/${folder}`);
  if (scope !== null) return scope;
  throw new DiagnosticError([
    diagnostic('USAGE', 'A scope is missing.', {
      hint: '--from organizations/<number>, folders/<number> or projects/<id>',
    }),
  ]);
}

function noAuth(command: string): DiagnosticError {
  return new DiagnosticError([
    diagnostic(
      'AUTH_REQUIRED',
      `infra ${command} has no playbook to take an auth from, and there is no ambient fallback.`,
      {
        hint: 'give --credential <name> of your own config.yaml, or --stack <stack> with stacks.<stack>.credential there',
      },
    ),
  ]);
}
