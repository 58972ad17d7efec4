import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { ensureBuilt, infra, ROOT } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

it('the demo plans, applies and finds nothing left to do, and leaves nothing behind', async () => {
  const place = temporaryFolder();
  const { code, stdout } = await infra(['demo'], { env: { TMPDIR: place, INFRA_EVENTLOG: 'https://noetl.example' } });
  expect(code).toBe(0);
  expect(stdout.match(/^\$ infra .*$/gm)).toEqual(
    ['org-foundation.yaml', 'yandex-gateway.yaml'].flatMap((playbook) => [
      `$ infra plan ${playbook} --emulator`,
      expect.stringMatching(/^\$ infra apply --emulator --confirm [0-9a-f]{64}$/),
      `$ infra plan ${playbook} --emulator --detailed-exitcode`,
    ]),
  );
  expect(stdout.match(/^Nothing to do/gm)).toHaveLength(2);
  expect(readdirSync(place)).toEqual([]);
});

it('the demo shows what the README says, and is quiet where that is asked for', async () => {
  const { code, stdout, stderr } = await infra(['demo', '-q']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const block =
    /<!-- demo:begin -->\n```text\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '';
  const parts = block.split(/^…\n/m);
  expect(parts.length).toBeGreaterThan(3);
  let from = 0;
  for (const part of parts) {
    const at = stdout.indexOf(part, from);
    expect(at, `not in the output:\n${part}`).toBeGreaterThanOrEqual(from);
    from = at + part.length;
  }
});

it('the demo is for people', async () => {
  const { code, stdout } = await infra(['demo', '--format', 'json']);
  expect(code).toBe(3);
  expect(JSON.parse(stdout).diagnostics).toMatchObject([{ code: 'NOT_AVAILABLE' }]);
});

it('the demo without a place for temporary files says so', async () => {
  const { code, stderr } = await infra(['demo'], { env: { TMPDIR: '/nonexistent' } });
  expect(code).toBe(3);
  expect(stderr).toContain('set TMPDIR');
  expect(stderr).not.toContain('a bug in infra');
});

it('exec keeps its lines in a file, too', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
  const { code, stdout } = await infra(['exec', 'p.yaml', '--offline', '--out', 'json=lines.json'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('"step":"shared"');
  expect(readFileSync(join(cwd, 'lines.json'), 'utf8')).toBe(stdout);
});
