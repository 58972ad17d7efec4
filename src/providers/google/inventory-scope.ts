import { diagnostic } from '../../core/codes.ts';
import { DiagnosticError } from '../../core/diagnostics.ts';
import { scopeReference } from './folder-path.ts';

export type ScopeKind = 'organization' | 'folder' | 'project';

/** What an inventory is of; `name` is `organizations/1`, `folders/1` or `projects/p`. */
export interface Scope {
  readonly kind: ScopeKind;
  readonly name: string;
}

const FORMS: readonly (readonly [ScopeKind, RegExp])[] = [
  ['organization', /^organizations\/[0-9]{1,19}$/],
  ['folder', /^folders\/[0-9]{1,19}$/],
  ['project', /^projects\/(?:[a-z0-9.-]+:)?[a-z0-9-]{1,63}$/],
];

/** Throws DiagnosticError for what is no scope. */
export function parseScope(written: string): Scope {
  const text = scopeReference(written);
  const [kind] = FORMS.find(([, form]) => form.test(text)) ?? [];
  if (kind !== undefined) return { kind, name: text };
  const detail = `"${written}" is no scope; expected organizations/<number>, folders/<number>, projects/<id>, the URL of one in the console, or the number of a folder.`;
  throw new DiagnosticError([diagnostic('USAGE', detail)]);
}

/** The id in a name: `p` of `projects/p`. */
export function idOf(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
