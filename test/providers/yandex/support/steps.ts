import { readFile } from 'node:fs/promises';
import type { Diagnostic } from '../../../../src/core/diagnostics.ts';
import type { Declaration, LinkResult } from '../../../../src/core/resource.ts';
import { DEFAULT_POLL, type Step } from '../../../../src/core/step.ts';
import type { ValueObject } from '../../../../src/core/value.ts';
import { loadPlaybook } from '../../../../src/playbook/load.ts';
import { yandexCatalogue } from '../../../../src/providers/yandex/catalogue.ts';
import { loadRequest } from '../../../support/load-request.ts';

export const FOLDER = 'b1gexamplefolder0001';
export const IMAGE = 'fd8example0000000000';
export const ZONE = 'ru-central1-a';
export const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4';
export const GATEWAY = 'fixtures/playbooks/yandex-gateway/playbook.yaml';

let written = 0;

/** A step as the playbook loader gives it, of the stack and folder of the gateway; `yandex.` may be left out. */
export function stepOf(address: string, action: string, input: ValueObject = {}, more: Partial<Step> = {}): Step {
  written += 1;
  const source = { file: 'p.yaml', line: written, column: 1 };
  return {
    address,
    name: address,
    index: written,
    desc: null,
    source,
    positions: new Map(
      Object.keys(input).map((key, index) => [`input.${key}`, { ...source, column: 10 + index }] as const),
    ),
    skip: null,
    provider: 'yandex',
    action: `yandex.${action}`,
    input,
    stack: 'gateway',
    reconcile: 'enforce',
    dryRun: null,
    auth: null,
    guard: null,
    endpoint: null,
    poll: DEFAULT_POLL,
    timeoutMs: null,
    protect: null,
    confirm: null,
    knownDesired: null,
    dependsOn: [],
    settings: { folder_id: FOLDER },
    identity: { project: 'acme', owner: 'platform' },
    logicalId: null,
    resourceId: null,
    ...more,
  };
}

export function network(input: ValueObject = {}, more: Partial<Step> = {}): Step {
  return stepOf('network', 'vpc.network.ensure', { name: 'gateway-network', ...input }, more);
}

export function subnet(input: ValueObject = {}, more: Partial<Step> = {}): Step {
  const own = { name: 'gateway-subnet', zone_id: ZONE, ipv4_cidr: '10.42.0.0/24', network_dependency: 'network' };
  return stepOf('subnet', 'vpc.subnet.ensure', { ...own, ...input }, more);
}

export const SSH_RULE = { direction: 'ingress', protocol: 'tcp', cidr: '192.0.2.0/24', from_port: 22, to_port: 22 };
export const OUT_RULE = { direction: 'egress', protocol: 'any', cidr: '0.0.0.0/0' };

export function firewall(input: ValueObject = {}, more: Partial<Step> = {}): Step {
  const own = { name: 'gateway-sg', network_dependency: 'network', rules: [SSH_RULE, OUT_RULE] };
  return stepOf('firewall', 'vpc.security_group.ensure', { ...own, ...input }, more);
}

export function address(input: ValueObject = {}, more: Partial<Step> = {}): Step {
  return stepOf('address', 'vpc.address.ensure', { name: 'gateway-address', zone_id: ZONE, ...input }, more);
}

export function disk(input: ValueObject = {}, more: Partial<Step> = {}): Step {
  const own = { name: 'gateway-disk', zone_id: ZONE, image_id: IMAGE, size_gib: 20 };
  return stepOf('boot_disk', 'compute.disk.ensure', { ...own, ...input }, more);
}

export function instance(input: ValueObject = {}, more: Partial<Step> = {}): Step {
  const own = {
    name: 'gateway-instance',
    zone_id: ZONE,
    platform_id: 'standard-v3',
    core_fraction: 100,
    cores: 2,
    memory_gib: 2,
    boot_disk_dependency: 'boot_disk',
    subnet_dependency: 'subnet',
    security_group_dependency: 'firewall',
    address_dependency: 'address',
    ssh_username: 'gateway-admin',
    ssh_public_key: KEY,
  };
  return stepOf('instance', 'compute.instance.ensure', { ...own, ...input }, more);
}

/** The whole gateway; a step given replaces the one of its address. */
export function gateway(...instead: readonly Step[]): readonly Step[] {
  const steps = [network(), subnet(), firewall(), address(), disk(), instance()];
  return steps.map((step) => instead.find((other) => other.address === step.address) ?? step);
}

export function linked(steps: readonly Step[]): LinkResult {
  return yandexCatalogue.link(
    steps,
    () => 'error',
    ({ stack }) => stack,
  );
}

/** The declaration of a step that links without a problem, among those that it depends on. */
export function declared(step: Step, others: readonly Step[] = []): Declaration {
  const { declarations, diagnostics } = linked([...others, step]);
  const declaration = declarations.get(step.address);
  if (diagnostics.length > 0 || declaration === undefined) throw new Error(`does not link: ${said(diagnostics)}`);
  return declaration;
}

export function said(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(({ code, detail }) => `${code} ${detail}`).join('\n');
}

/** The steps of the playbook in fixtures/, as the loader gives them. */
export async function gatewayPlaybook(): Promise<readonly Step[]> {
  const result = await loadPlaybook(
    loadRequest(GATEWAY, await readFile(GATEWAY, 'utf8'), new Map([['yandex', yandexCatalogue]])),
  );
  if (result.playbook === null) throw new Error(said(result.diagnostics));
  return result.playbook.steps;
}
