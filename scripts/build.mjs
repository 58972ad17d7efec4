// Builds dist/ (or the folder of --out): a tiny CommonJS entry, chunks that are loaded when a command needs them, and V8's code cache for them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const dist = values.out === undefined ? join(root, 'dist') : resolve(values.out);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Node's own modules whose functions are loaded at their first call, because they take long to load and are rarely called. */
const lazily = (modules) => ({
  name: 'lazily',
  resolveId: (source) => (source in modules ? `\0lazy:${source}` : null),
  load: (id) => {
    if (!id.startsWith('\0lazy:node:')) return null;
    const name = id.slice('\0lazy:node:'.length);
    return modules[`node:${name}`]
      .map((key) => `exports.${key} = (...all) => require('${name}').${key}(...all);`)
      .join('\n');
  },
});

/** Takes 3 ms, and what imports it at the top (commander, the look at git's index) rarely or never uses it. */
const lazyChildProcess = lazily({ 'node:child_process': ['spawn', 'spawnSync', 'execFile'] });

/** The fake `yc` starts once a command: most commands ask for no terminal and make no ids, and these take 8 ms. */
const lazyInFakeYc = lazily({
  'node:child_process': ['spawn'],
  'node:crypto': ['randomBytes', 'randomUUID'],
  'node:tty': ['isatty'],
});

/** A text with one character beyond Latin-1 takes V8 twice the memory, and longer to read. */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk')
        file.code = file.code.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
    }
  },
};

/** Of undici only the pool of connections is used here; its index loads everything else too, which takes longer than a request. */
const undiciAgentOnly = {
  name: 'undici-agent-only',
  resolveId: (source) => (source === 'undici' ? '\0undici-agent-only' : null),
  load: (id) =>
    id === '\0undici-agent-only'
      ? `Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api'));
         exports.Agent = require('undici/lib/dispatcher/agent.js');`
      : null,
};

const mainIsBuilt = {
  name: 'main-is-built',
  resolveId: (source) => (source === './main.ts' ? { id: './main.cjs', external: true } : null),
};

let main;
let offline;
await bundle();
const playbook = join(root, 'scripts/warm-up.yaml');
const yandex = join(root, 'fixtures/playbooks/yandex-gateway/playbook.yaml');
warmCodeCache([
  ['plan', playbook, '--offline', '--no-save'],
  ['plan', playbook, '--emulator', '--format', 'json'],
  ['plan', yandex, '--emulator', '--no-save'],
  ['explain', 'BUG'],
]);

/**
 * Every file costs about as much to open as to run, so what every command needs is one chunk, and what else every verb
 * over a playbook needs is another. The rest is split where it is imported lazily.
 */
function chunkOf(id, graph) {
  main ??= reachable(join(root, 'src/cli/main.ts'), graph);
  offline ??= reachable(join(root, 'src/cli/commands/plan.ts'), graph);
  return main.has(id) ? 'main' : offline.has(id) ? 'workflow' : null;
}

/** The module and all that it imports at once. */
function reachable(start, graph) {
  const found = new Set([start]);
  for (const id of found) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

async function bundle() {
  const next = `${dist}.next`;
  rmSync(next, { recursive: true, force: true });
  await write(
    { main: 'src/cli/main.ts' },
    { codeSplitting: { groups: [{ name: chunkOf, debugName: 'main and workflow' }] } },
    [lazyChildProcess, undiciAgentOnly],
  );
  // On its own, so that it shares nothing with the chunks and `--version` loads none of them.
  await write({ entry: 'src/cli/entry.ts' }, {}, [mainIsBuilt]);
  // A program of its own, that the fake `yc` on disk runs.
  await write({ 'fake-yc': 'src/emulator/yc/main.ts' }, {}, [lazyInFakeYc]);
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
}

async function write(input, output, plugins) {
  const build = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    plugins,
    transform: { target: 'node20', define: { INFRA_VERSION: JSON.stringify(version) } },
  });
  await build.write({
    plugins: [asciiOnly],
    dir: `${dist}.next`,
    format: 'cjs',
    minify: true,
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    ...output,
  });
  await build.close();
}

/** Runs commands, the one that loads most first; what they answer does not matter. */
function warmCodeCache(commands) {
  const preload =
    nodeModule.enableCompileCache === undefined ? ['--require', join(root, 'scripts/record-code-cache.cjs')] : [];
  const folder = mkdtempSync(join(tmpdir(), 'infra-build-'));
  for (const command of commands) {
    spawnSync(process.execPath, [...preload, join(dist, 'entry.cjs'), ...command], {
      cwd: folder,
      stdio: 'ignore',
    });
  }
  rmSync(folder, { recursive: true, force: true });
}
