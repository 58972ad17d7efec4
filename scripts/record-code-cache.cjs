// Preloaded into a run of entry.cjs on Node 20: keeps what V8 compiled of each chunk, for src/cli/code-cache.ts to use.
// A chunk that has a cache already is loaded from it and never comes by here.
const { mkdirSync, realpathSync, writeFileSync } = require('node:fs');
const { Module } = require('node:module');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');

const dist = dirname(realpathSync(process.argv[1]));
const cache = join(dist, 'cache', `${process.version}-${process.arch}`);
const compiled = new Map();
const compile = Module.prototype._compile;

Module.prototype._compile = function compileRecorded(content, filename) {
  if (dirname(filename) !== dist || basename(filename) === 'entry.cjs') return compile.call(this, content, filename);
  const script = new Script(Module.wrap(content), { filename });
  compiled.set(basename(filename), script);
  return script.runInThisContext().call(this.exports, this.exports, this.require.bind(this), this, filename, dist);
};

process.on('exit', () => {
  mkdirSync(cache, { recursive: true });
  // Only now, because functions enter the cache once they have run.
  for (const [name, script] of compiled) writeFileSync(join(cache, `${name}.bin`), script.createCachedData());
});
