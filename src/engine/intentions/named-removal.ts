import { isJsonObject, type Json } from '../../core/json.ts';
import type { Declaration } from '../../core/resource.ts';
import { displayObject, isKnown } from '../../core/value.ts';
import { isRenamable } from '../declared-names.ts';
import type { PreparedStep } from '../prepare.ts';

/** A place that the next apply would change is still the recorded one; what is only written otherwise is as declared. */
export function removalOf({ catalogue, spec, declaration }: PreparedStep, urn: string, owned: string, recorded: Json) {
  const isWrittenOtherwise = owned !== urn && !isRenamable(declaration);
  return isWrittenOtherwise
    ? catalogue.removalOf(spec.resourceType, urn, namedAsDeclared(declaration, recorded))
    : catalogue.removalOf(spec.resourceType, owned, recorded);
}

function namedAsDeclared(declaration: Declaration, recorded: Json): Json {
  if (!isJsonObject(recorded)) return recorded;
  const names = Object.entries(declaration.desired).filter(
    ([field, value]) => declaration.fields[field] === 'identity' && isKnown(value),
  );
  return { ...recorded, ...displayObject(Object.fromEntries(names)) };
}
