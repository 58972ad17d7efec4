import { type Command, Option } from 'commander';
import { diagnostic } from '../core/codes.ts';
import { DiagnosticError } from '../core/diagnostics.ts';
import { UNSCOPED } from '../core/facts.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AuthSpec, EndpointSpec } from '../core/step.ts';
import { literalValue } from '../playbook/shape.ts';
import { child } from '../playbook/tree.ts';
import type { InventoryProvider } from '../providers/lifecycle-provider.ts';
import { authorityOf } from './authority.ts';
import type { Options } from './command.ts';
import { stackName } from './flags.ts';
import { noAuth, OF_A_SCOPE } from './no-auth.ts';
import { text } from './options.ts';
import { locate, type Place } from './place.ts';
import { withReaders } from './reading.ts';
import type { WorkflowCall } from './workflow-types.ts';

/** What is discovered, and with whose authority. */
export interface OpenedScope {
  readonly reader: InventoryProvider;
  readonly place: Place;
  readonly stack: string | null;
  /** `defaults.identity` of infra.yaml, where it is there and spelt out. */
  readonly identity: Json;
  readonly auth: AuthSpec | null;
  readonly endpoint: EndpointSpec | null;
}

/** Flags of verbs that discover a scope. */
export function addScopeFlags(command: Command): Command {
  return command
    .addOption(new Option('--provider <family>', 'whose cloud it is').choices(['google', 'yandex']).default('google'))
    .option(
      '--from <scope>',
      "organizations/N, folders/N, projects/p, a console URL, a folder's number, or the id of a Yandex folder",
    )
    .option('--folder <id>', 'the same as --from folders/<id>, or --from <id> for Yandex')
    .option('--stack <stack>', 'whose credential is used (stacks.<stack> of your own config.yaml)', stackName);
}

/** Opens a reader on the scope that the flags name. Throws DiagnosticError where there is none, or no usable auth. */
export async function withScope<T>(call: WorkflowCall, body: (scope: OpenedScope) => Promise<T>): Promise<T> {
  const { host, flags, invocation } = call;
  const provider = providerOf(invocation.options);
  const place = await locate(host, flags, false);
  const stack = flags.stack ?? place.config.stack;
  const own = authorityOf(flags, place, []).authOf(stack ?? UNSCOPED, provider);
  const from = text(invocation.options, 'from') ?? null;
  const folder = text(invocation.options, 'folder') ?? null;
  const yandex = provider === 'yandex' ? yandexScope(from, folder, own.settings) : null;
  const scope = yandex?.folder_id ?? googleScope(from, folder);
  if (own.auth === null && !flags.emulator) throw new DiagnosticError([noAuth(call.command, OF_A_SCOPE)]);
  return withReaders(call, place, [], async (readers) => {
    const request = { ...own, provider, settings: yandex ?? own.settings };
    const opened = await readers.openOn(scope, request);
    if (opened.kind === 'unusable') throw new DiagnosticError([{ ...opened.why, severity: 'error' }]);
    return body({ reader: opened.provider, place, stack, identity: identityOf(place), ...own });
  });
}

function identityOf({ config }: Place): Json {
  const node = child(config.project?.defaults ?? null, 'identity');
  return node === null ? null : literalValue(node);
}

/** Whose cloud the flags name. */
export function providerOf(options: Options): 'google' | 'yandex' {
  return text(options, 'provider') === 'yandex' ? 'yandex' : 'google';
}

/** The settings that lead to one folder: the flag's, else that of the stack. Throws DiagnosticError (USAGE). */
function yandexScope(
  from: string | null,
  folder: string | null,
  settings: JsonObject | null,
): JsonObject & { readonly folder_id: string } {
  if (from !== null && folder !== null && from !== folder) throw twoScopes();
  const id = from ?? folder ?? settings?.['folder_id'];
  if (typeof id === 'string') return { ...settings, folder_id: id };
  throw new DiagnosticError([
    diagnostic('USAGE', 'A scope is missing.', { hint: '--folder <id>, or --stack with stacks.<stack>.settings' }),
  ]);
}

function twoScopes(): DiagnosticError {
  return new DiagnosticError([diagnostic('USAGE', '--from and --folder name two scopes; give one of them.')]);
}

function googleScope(from: string | null, folder: string | null): string {
  if (from !== null && folder !== null && from !== `folders/${folder}`) throw twoScopes();
  const scope = from ?? (folder === null ? null : folder.startsWith('folders/') ? folder : `folders/${folder}`);
  if (scope !== null) return scope;
  throw new DiagnosticError([
    diagnostic('USAGE', 'A scope is missing.', {
      hint: '--from organizations/<number>, folders/<number> or projects/<id>',
    }),
  ]);
}
