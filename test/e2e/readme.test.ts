import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ensureBuilt, infra, ROOT } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

it('what the README links to is there', () => {
  for (const [, path = ''] of README.matchAll(/\]\((?!https?:)([^)#]+)/g))
    expect(existsSync(join(ROOT, path)), path).toBe(true);
});

it("the README's playbook is planned as it says", async () => {
  const playbook = join(ROOT, 'fixtures/playbooks/org-foundation/playbook.yaml');
  const { code, stdout } = await infra(['plan', playbook, '--emulator', '--no-save'], { cwd: temporaryFolder() });
  expect(code).toBe(0);
  expect(stdout).toContain('41 to create');
});
