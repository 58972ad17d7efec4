import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

type Compile = (this: NodeJS.Module, content: string, filename: string) => unknown;
interface ModuleInternals {
  readonly Module: { wrap(source: string): string; readonly prototype: { _compile: Compile } };
  readonly enableCompileCache?: (folder: string) => unknown;
}

/**
 * Lets V8 skip most compiling of the chunks in `folder`. Node 22 and later keep a compile cache of their own; for Node 20
 * the build has stored one, which V8 refuses by itself when it comes from another version. It lies beside the code, so
 * nobody who may not change the code can change it.
 */
export function setUpCodeCache(folder: string): void {
  // Node's types don't show what its module loader is made of.
  const internals = nodeModule as unknown as ModuleInternals;
  if (internals.enableCompileCache !== undefined) internals.enableCompileCache(join(folder, 'cache'));
  else compileThroughCache(internals.Module, folder);
}

function compileThroughCache(loader: ModuleInternals['Module'], folder: string): void {
  const cache = join(folder, 'cache', `${process.version}-${process.arch}`);
  const compile = loader.prototype._compile;
  loader.prototype._compile = function compileCached(content, filename) {
    const cachedData = dirname(filename) === folder ? stored(join(cache, `${basename(filename)}.bin`)) : null;
    if (cachedData === null) return compile.call(this, content, filename);
    const run = new Script(loader.wrap(content), { filename, cachedData }).runInThisContext();
    return run.call(this.exports, this.exports, this.require.bind(this), this, filename, folder);
  };
}

function stored(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
