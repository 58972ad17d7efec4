import type { Diagnostic } from '../../core/diagnostics.ts';
import type { Declaration, FormatStrictness, LinkResult } from '../../core/resource.ts';
import type { Step } from '../../core/step.ts';
import type { ValueObject } from '../../core/value.ts';
import { isResource } from './actions.ts';
import { type Draft, draftOf, linkDiagnostic } from './drafts.ts';
import { displayPath } from './folder-path.ts';
import { isMap, textAt } from './inputs.ts';
import { orderOf } from './order.ts';
import { declaredTree, Places, placeKey } from './places.ts';
import { folderTail, folderUrn } from './resources/folder.ts';

/** Reads the inputs of all steps and ties them together: places, URNs, order. */
export function link(steps: readonly Step[], strictness: (step: Step) => FormatStrictness): LinkResult {
  const drafts: Draft[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const step of steps) {
    const result = draftOf(step, strictness(step));
    if (result === null) continue;
    diagnostics.push(...result.diagnostics);
    if (result.draft !== null) drafts.push(result.draft);
  }
  const places = new Places(drafts);
  for (const draft of drafts) {
    const problem = places.of(draft)?.problem ?? null;
    if (problem !== null) diagnostics.push(linkDiagnostic(problem, draft.step, 'error'));
  }
  return { declarations: declare(drafts, places), diagnostics };
}

function declare(drafts: readonly Draft[], places: Places): ReadonlyMap<string, Declaration> {
  const order = orderOf(drafts, places);
  const urns = new Urns(places);
  const declarations = new Map<string, Declaration>();
  for (const draft of drafts) {
    const { address, definition, spec, step } = draft;
    const desired = desiredOf(draft, places);
    const isWritten = spec.kind !== 'read' && isResource(definition);
    const dependsOn = order.dependsOn(address);
    declarations.set(address, {
      address,
      action: spec,
      urn: urns.of(draft),
      desired,
      options: optionsOf(draft, places),
      fields: isResource(definition) ? (definition.fieldsFor?.(draft.options) ?? definition.fields) : {},
      dependsOn: step.dependsOn.length === 0 ? dependsOn : dependsOn.filter((other) => !step.dependsOn.includes(other)),
      needs: order.needs(address),
      batchKey: isWritten ? definition.batchKey(desired) : null,
    });
  }
  return declarations;
}

function desiredOf(draft: Draft, places: Places): ValueObject {
  const key = placeKey(draft);
  const place = places.of(draft);
  return key === null || place === null ? draft.desired : { ...draft.desired, [key]: place.value };
}

/** A place that has to be looked up live needs to be told where, be it by the guard. */
function optionsOf(draft: Draft, places: Places): ValueObject {
  const key = placeKey(draft);
  const was = draft.options['was'];
  const paths = [key === null ? '' : textAt(desiredOf(draft, places), key), isMap(was) ? textAt(was, 'parent') : ''];
  const tree = paths.some((path) => displayPath(path) !== null) ? declaredTree(draft) : null;
  return tree === null ? draft.options : { ...draft.options, organization: tree };
}

/** URNs before anything runs: a folder inside a folder of the playbook carries that one's own place and name. */
class Urns {
  private readonly places: Places;
  private readonly known = new Map<Draft, string | null>();

  constructor(places: Places) {
    this.places = places;
  }

  of(draft: Draft): string | null {
    const known = this.known.get(draft);
    if (known !== undefined) return known;
    this.known.set(draft, null);
    const urn = this.make(draft);
    this.known.set(draft, urn);
    return urn;
  }

  private make(draft: Draft): string | null {
    if (draft.spec.kind === 'read' || !isResource(draft.definition)) return null;
    const place = this.places.of(draft);
    const within = place?.container ?? place?.leaving ?? null;
    if (draft.spec.resourceType !== 'folder' || within === null)
      return draft.definition.urn(desiredOf(draft, this.places));
    const outer = this.of(within);
    return outer === null ? null : folderUrn(folderTail(outer), textAt(draft.desired, 'display_name'));
  }
}
