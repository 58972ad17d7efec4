import { nearest } from '../core/nearest.ts';
import type { ActionSpec, ProviderCatalogue } from '../core/resource.ts';
import type { Findings } from './findings.ts';
import type { Renderer } from './render.ts';
import { missingKey } from './shape.ts';
import { child, describe, type MapNode, type TreeNode } from './tree.ts';

/** What loading needs of a provider's catalogue. */
export type ActionCatalogue = Pick<ProviderCatalogue, 'provider' | 'findAction' | 'actionNames' | 'expandInput'>;
export type Catalogues = ReadonlyMap<string, ActionCatalogue>;

/** A step's provider and action, found in a catalogue. */
export interface ChosenAction {
  readonly provider: string;
  readonly catalogue: ActionCatalogue;
  readonly action: ActionSpec;
}

const RESERVED = new Set(['aws', 'azure']);
const KNOWN = ['google', 'yandex'];
const RUNTIMES: Readonly<Record<string, readonly string[]>> = { google: ['rest', 'rust-sdk'] };

/** Finds the action that a tool names, with what defaults say where the tool does not. Null: not valid, reported. */
export function chooseAction(
  tool: MapNode,
  defaults: MapNode | null,
  step: string,
  renderer: Renderer,
  catalogues: Catalogues,
): ChosenAction | null {
  const { findings } = renderer;
  const node = child(tool, 'action') ?? child(defaults, 'action');
  if (node === null) {
    missingKey(
      findings,
      `The tool of step "${step}"`,
      'action',
      tool,
      'action: google.cloudresourcemanager.projects.ensure, for example',
    );
    return null;
  }
  const name = staticText(node, 'action', renderer);
  const serviceNode = child(tool, 'service') ?? child(defaults, 'service');
  const service = serviceNode === null ? null : staticText(serviceNode, 'service', renderer);
  if (name === null || (serviceNode !== null && service === null)) return null;
  const provider = chooseProvider(tool, defaults, name, service, step, renderer);
  if (provider === null) return null;
  const catalogue = catalogueOf(provider.name, provider.node ?? node, step, catalogues, findings);
  if (catalogue === null || !checkRuntime(tool, defaults, provider.name, renderer)) return null;
  const action = catalogue.findAction(name, service);
  if (action !== null) return { provider: provider.name, catalogue, action };
  findings.add('UNKNOWN_ACTION', unknownDetail(name, service, provider.name), node, {
    address: step,
    hint: actionHint(name, service, catalogue),
  });
  return null;
}

/** A value that must be a text and known at once. */
function staticText(node: TreeNode, key: string, renderer: Renderer): string | null {
  const value = renderer.static(node, key);
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '') return value;
  renderer.findings.add('INVALID_VALUE', `${key} must be a text, not ${describe(node)}.`, node);
  return null;
}

function chooseProvider(
  tool: MapNode,
  defaults: MapNode | null,
  action: string,
  service: string | null,
  step: string,
  renderer: Renderer,
): { name: string; node: TreeNode | null } | null {
  const own = child(tool, 'provider');
  if (own !== null) return named(own, renderer);
  const first = action.split('.', 1)[0] ?? '';
  if (KNOWN.includes(first) || RESERVED.has(first)) return { name: first, node: null };
  const fallback = child(defaults, 'provider');
  if (fallback !== null) return named(fallback, renderer);
  if (service?.endsWith('.googleapis.com')) return { name: 'google', node: null };
  missingKey(renderer.findings, `The tool of step "${step}"`, 'provider', tool, `providers: ${KNOWN.join(', ')}`);
  return null;
}

function named(node: TreeNode, renderer: Renderer): { name: string; node: TreeNode } | null {
  const name = staticText(node, 'provider', renderer);
  return name === null ? null : { name, node };
}

function catalogueOf(
  provider: string,
  node: TreeNode,
  step: string,
  catalogues: Catalogues,
  findings: Findings,
): ActionCatalogue | null {
  const catalogue = catalogues.get(provider);
  if (catalogue !== undefined) return catalogue;
  if (RESERVED.has(provider) || KNOWN.includes(provider)) {
    findings.add('PROVIDER_NOT_IMPLEMENTED', `The provider "${provider}" is not implemented.`, node, {
      address: step,
      hint: `providers: ${[...catalogues.keys()].join(', ')}`,
    });
    return null;
  }
  const near = nearest(provider, [...KNOWN, ...RESERVED]);
  const hint = near === null ? `providers: ${KNOWN.join(', ')}` : `did you mean "${near}"?`;
  findings.add('UNKNOWN_PROVIDER', `There is no provider "${provider}".`, node, { address: step, hint });
  return null;
}

/** `runtime` names a backend of google; a default runtime doesn't reach other providers. */
function checkRuntime(tool: MapNode, defaults: MapNode | null, provider: string, renderer: Renderer): boolean {
  const allowed = RUNTIMES[provider];
  const node = child(tool, 'runtime') ?? child(defaults, 'runtime');
  if (allowed === undefined || node === null) return true;
  const value = renderer.static(node, 'runtime');
  if (value === undefined || (typeof value === 'string' && allowed.includes(value))) return value !== undefined;
  renderer.findings.add('INVALID_VALUE', `runtime must be ${allowed.join(' or ')}, not ${describe(node)}.`, node);
  return false;
}

function unknownDetail(name: string, service: string | null, provider: string): string {
  const with_ = service === null ? '' : ` with service ${service}`;
  return `${provider} has no action "${name}"${with_}.`;
}

function actionHint(name: string, service: string | null, catalogue: ActionCatalogue): string {
  const names = catalogue.actionNames();
  const domain = service?.split('.', 1)[0];
  const full = domain === undefined ? name : `${catalogue.provider}.${domain}.${name}`;
  const short = names.filter((known) => known.endsWith(`.${name}`));
  if (service === null && short[0] !== undefined)
    return `did you mean "${short[0]}"? The short form needs \`service:\``;
  const near = nearest(full, names) ?? nearest(name, names) ?? nearest(`${catalogue.provider}.${name}`, names);
  return near === null ? '`infra explain UNKNOWN_ACTION`, docs/actions.md lists all' : `did you mean "${near}"?`;
}
