/** Every filter that a template may use. */
export const FILTER_NAMES: ReadonlySet<string> = new Set([
  'default', 'int', 'float', 'string', 'bool', 'length', 'lower', 'upper', 'trim', 'replace', 'split', 'join', 'first', 'last',
  'sort', 'unique', 'map', 'select', 'selectattr', 'reject', 'rejectattr', 'items', 'tojson', 'abs', 'round', 'min', 'max',
]);
