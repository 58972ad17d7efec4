// Builds dist/: a tiny CommonJS entry, chunks that are loaded when a command needs them, and V8's code cache for them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

await bundle();
warmCodeCache([
  ['plan', join(root, 'fixtures/playbooks/org-foundation/playbook.yaml'), '--offline', '--no-save'],
  [
    'plan',
    join(root, 'fixtures/playbooks/org-foundation/playbook.yaml'),
    '--emulator',
    '--no-save',
    '--format',
    'json',
  ],
  ['explain', 'BUG'],
]);

async function bundle() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const build = await rolldown({
    cwd: root,
    input: { entry: 'src/cli/entry.ts' },
    platform: 'node',
    transform: { target: 'node20', define: { INFRA_VERSION: JSON.stringify(version) } },
  });
  await build.write({
    dir: 'dist',
    format: 'cjs',
    minify: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  });
  await build.close();
}

/** Runs commands, the one that loads most first; what they answer does not matter. */
function warmCodeCache(commands) {
  const preload =
    nodeModule.enableCompileCache === undefined ? ['--require', join(root, 'scripts/record-code-cache.cjs')] : [];
  const folder = mkdtempSync(join(tmpdir(), 'infra-build-'));
  for (const command of commands) {
    spawnSync(process.execPath, [...preload, join(root, 'dist/entry.cjs'), ...command], {
      cwd: folder,
      stdio: 'ignore',
    });
  }
  rmSync(folder, { recursive: true, force: true });
}
