import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SERVICE_AGENTS } from '../../../src/providers/google/inventory-agents.ts';

test('docs/ownership.md lists the service agents that are left out, and no others', () => {
  const text = readFileSync(new URL('../../../docs/ownership.md', import.meta.url), 'utf8');
  const listed = [...text.matchAll(/^- `(serviceAccount:[^`]+)`$/gm)].map(([, pattern]) => pattern);
  expect(listed).toEqual(SERVICE_AGENTS);
});
