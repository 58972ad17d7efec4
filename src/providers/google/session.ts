import { diagnostic } from '../../core/codes.ts';
import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Json } from '../../core/json.ts';
import type { Declaration } from '../../core/resource.ts';
import type { ValueObject } from '../../core/value.ts';
import type { ReadSession, Resolution, Target } from '../lifecycle-provider.ts';
import { ACTIONS, isResource } from './actions.ts';
import { withCollection } from './common-inputs.ts';
import { displayPath, parentReference } from './folder-path.ts';
import { isMap, scalar, textAt } from './inputs.ts';
import { lookUpFolder } from './live-folders.ts';
import { checkGuardLive } from './live-guard.ts';
import type { Reads } from './reads.ts';

/** The reads of one phase, interpreted by resource type. */
export function openGoogleSession(reads: Reads): ReadSession {
  return {
    resolve: (target) => resolve(target, reads),
    observe: async (target) => {
      const definition = ACTIONS.get(target.declaration.action.name)?.definition;
      if (definition === undefined || !isResource(definition))
        throw new TypeError(`${target.declaration.action.name} has nothing to observe`);
      return definition.observe(target, reads);
    },
    read: async (declaration, desired) => {
      const read = ACTIONS.get(declaration.action.name)?.action.read;
      if (read === undefined) throw new TypeError(`${declaration.action.name} is no read`);
      const answer = await read(desired, reads);
      return answer.kind === 'ok'
        ? { kind: 'done', resource: answer.value as Json }
        : { kind: 'failed', why: about(declaration, answer.why) };
    },
    checkGuard: (guard, parents) => checkGuardLive(guard, parents, reads),
  };
}

function about(declaration: Declaration, why: Diagnostic): Diagnostic {
  return { ...why, address: declaration.address, urn: declaration.urn };
}

/** Names that only the cloud can resolve become ids; values that a step's result gave take the form of written ones. */
async function resolve(target: Target, reads: Reads): Promise<Resolution> {
  const { declaration } = target;
  const desired = inOurForm(target.desired);
  const definition = ACTIONS.get(declaration.action.name)?.definition;
  const key = definition !== undefined && isResource(definition) ? definition.placeKey : undefined;
  const names = key === undefined ? null : displayPath(textAt(desired, key));
  if (key === undefined || names === null) return { kind: 'resolved', desired };
  const tree = textAt(declaration.options, 'organization');
  if (tree === '') return { kind: 'failed', why: about(declaration, noTree(textAt(desired, key))) };
  const found = await lookUpFolder(tree, names, reads);
  return found.kind === 'found'
    ? { kind: 'resolved', desired: { ...desired, [key]: found.name } }
    : { kind: 'failed', why: about(declaration, found.why) };
}

function inOurForm(desired: ValueObject): ValueObject {
  const { parent, billing_account, display_name, labels } = desired;
  return {
    ...desired,
    ...(typeof parent === 'string' ? { parent: parentReference(parent) } : {}),
    ...(display_name === undefined ? {} : { display_name: scalar(display_name) ?? display_name }),
    ...(isMap(labels)
      ? { labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, scalar(value) ?? value])) }
      : {}),
    ...(typeof billing_account === 'string'
      ? { billing_account: withCollection('billingAccounts', billing_account) }
      : {}),
  };
}

function noTree(reference: string): Diagnostic {
  return diagnostic('MISSING_KEY', `"${reference}" is looked up below an organisation, and none is named.`, {
    hint: 'Add "organization" to the input, or pin one with guard.require_org.',
  });
}
