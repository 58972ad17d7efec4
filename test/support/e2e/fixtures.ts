import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cli-process.ts';
import type { Cloud } from './cloud.ts';

export function fixturePath(situation: string): string {
  return join(ROOT, 'fixtures/playbooks', situation, 'playbook.yaml');
}

export function fixture(situation: string): string {
  return readFileSync(fixturePath(situation), 'utf8');
}

/** The foundation as it stands, but for where its calls go and with whose token. */
export function writeFoundation(cloud: Cloud): void {
  const text = fixture('org-foundation');
  const auth = /^ {2}auth: .*$/m;
  if (!auth.test(text)) throw new Error('the fixture has no auth under its defaults');
  const ours = `  endpoint: ${cloud.emulator.url}\n  auth: { type: bearer, token_env: INFRA_TEST_TOKEN }`;
  cloud.writeText('playbook.yaml', text.replace(auth, ours));
}
