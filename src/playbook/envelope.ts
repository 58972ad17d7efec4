import { didYouMean } from '../core/nearest.ts';
import type { Findings } from './findings.ts';
import { asMap, literalText, missingKey } from './shape.ts';
import { child, describe, type ListNode, type MapNode, type TreeNode } from './tree.ts';

const ROOT_KEYS = ['apiVersion', 'kind', 'metadata', 'workload', 'workflow', 'defaults'];
const IGNORED_ROOT_KEYS = ['keychain', 'executor', 'workbook'];
const KNOWN_ROOT_KEYS = new Set([...ROOT_KEYS, ...IGNORED_ROOT_KEYS]);

/** The parts of a playbook's root; null where a part is missing. */
export interface Envelope {
  readonly name: string;
  readonly workload: MapNode | null;
  readonly defaults: MapNode | null;
  readonly workflow: ListNode;
}

/** Reads the root. Null when there is no workflow to go on with. */
export function readEnvelope(tree: TreeNode, findings: Findings): Envelope | null {
  const root = asMap(tree, 'A playbook', findings);
  if (root === null) return null;
  checkRootKeys(root, findings);
  checkVersion(root, findings);
  const workflow = readWorkflowNode(root, findings);
  const workload = mapPart(root, 'workload', findings);
  const defaults = mapPart(root, 'defaults', findings);
  const name = readName(root, findings);
  return workflow === null ? null : { name, workload, defaults, workflow };
}

function checkRootKeys(root: MapNode, findings: Findings): void {
  for (const [key, entry] of root.entries) {
    if (key.startsWith('x-')) continue;
    if (IGNORED_ROOT_KEYS.includes(key)) {
      findings.add('KEY_IGNORED', `\`${key}\` belongs to NoETL and has no effect here.`, entry);
    } else if (!KNOWN_ROOT_KEYS.has(key)) {
      const hint = didYouMean(key, KNOWN_ROOT_KEYS) ?? 'own keys start with `x-`';
      findings.add('UNKNOWN_KEY', `A playbook has no key "${key}".`, entry, { hint });
    }
  }
}

function checkVersion(root: MapNode, findings: Findings): void {
  const version = child(root, 'apiVersion');
  const kind = child(root, 'kind');
  if (version === null) {
    const hint = 'apiVersion: noetl.io/v2 (with kind: Playbook) or infra/v1';
    missingKey(findings, 'The playbook', 'apiVersion', root, hint);
    return;
  }
  const text = version.kind === 'scalar' ? version.value : undefined;
  if (text !== 'noetl.io/v2' && text !== 'infra/v1') {
    findings.add('INVALID_VALUE', `apiVersion must be noetl.io/v2 or infra/v1, not ${describe(version)}.`, version);
  }
  if (kind !== null && !(kind.kind === 'scalar' && kind.value === 'Playbook')) {
    findings.add('INVALID_VALUE', `kind must be Playbook, not ${describe(kind)}.`, kind);
  }
  if (kind === null && text === 'noetl.io/v2')
    missingKey(findings, 'A noetl.io/v2 playbook', 'kind', root, 'kind: Playbook');
}

function readWorkflowNode(root: MapNode, findings: Findings): ListNode | null {
  const workflow = child(root, 'workflow');
  if (workflow === null) {
    missingKey(findings, 'The playbook', 'workflow', root, 'workflow: a list of steps');
    return null;
  }
  if (workflow.kind === 'list') return workflow;
  findings.add('INVALID_VALUE', `workflow must be a list of steps, not ${describe(workflow)}.`, workflow);
  return null;
}

function mapPart(root: MapNode, key: string, findings: Findings): MapNode | null {
  const node = child(root, key);
  if (node === null || (node.kind === 'scalar' && node.value === null)) return null;
  return asMap(node, key, findings);
}

function readName(root: MapNode, findings: Findings): string {
  const metadata = mapPart(root, 'metadata', findings);
  const name = child(metadata, 'name');
  if (name !== null) return literalText(name, 'metadata.name', findings) ?? '';
  missingKey(findings, 'The playbook', 'metadata.name', metadata ?? root, 'metadata: { name: <name> }');
  return '';
}
