// The gate: everything that must hold before a change is merged. Stops at the first step that fails.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

run('format and lint', 'npx', ['biome', 'check', '--error-on-warnings']);
run('types', 'npx', ['tsc', '-p', '.']);
run('dead code', 'npx', ['knip']);
run('generated docs', process.execPath, ['scripts/docs.mjs', '--check']);
run('build', 'npm', ['run', '--silent', 'build']);
run('tests and coverage', 'npx', ['vitest', 'run', '--coverage']);
packAndRun();
console.log('\nAll checks passed.');

function run(what, command, argv, cwd = root) {
  console.log(`\n== ${what}`);
  const { status } = spawnSync(command, argv, { cwd, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`\n${what}: failed`);
    process.exit(1);
  }
}

/** What is published installs into an empty folder and works there. */
function packAndRun() {
  const folder = mkdtempSync(join(tmpdir(), 'infra-pack-'));
  try {
    run('pack', 'npm', ['pack', '--silent', '--pack-destination', folder]);
    run(
      'install',
      'sh',
      ['-c', 'npm init --yes >/dev/null && npm install --silent --no-audit --no-fund ./*.tgz'],
      folder,
    );
    run('run what was installed', 'npx', ['--no-install', 'infra', 'demo', '--quiet', '--no-color'], folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
