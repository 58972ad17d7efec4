import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInfra } from '../support/cli-host.ts';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it("hints at a reset where the emulator's organisation has another name than the guard", async () => {
  const cwd = temporaryFolder();
  const guarded = (name: string, folder: string) =>
    FOLDER_PLAYBOOK.replace(
      'defaults:\n',
      `defaults:\n  guard: { require_org: "123456789012", require_org_display_name: ${name} }\n`,
    ).replace('name: shared }', `name: ${folder} }`);
  const run = async (...argv: readonly string[]) => runInfra([...argv, '--emulator', '--format', 'json'], { cwd });
  writeFileSync(join(cwd, 'p.yaml'), guarded('acme.example', 'one'));
  const first = JSON.parse((await run('plan', 'p.yaml')).stdout);
  expect(await run('apply', 'p.yaml', '--confirm', first.digest)).toMatchObject({ code: 0 });
  writeFileSync(join(cwd, 'p.yaml'), guarded('other.example', 'two'));
  const { digest } = JSON.parse((await run('plan', 'p.yaml')).stdout);
  const refused = await run('apply', 'p.yaml', '--confirm', digest);
  expect(refused.code).toBe(5);
  expect(JSON.parse(refused.stdout).diagnostics[0]).toMatchObject({
    code: 'GUARD',
    hint: expect.stringContaining('infra emulator reset'),
  });
});
