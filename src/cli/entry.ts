// The start of the program. What stands here runs before any other module is loaded, because loading is most of the time
// that a short command takes.
import { writeSync } from 'node:fs';
import { setUpCodeCache } from './code-cache.ts';
import { VERSION } from './version.ts';

if (process.argv.length === 3 && process.argv[2] === '--version') {
  printVersion();
} else {
  setUpCodeCache(__dirname);
  void import('./main.ts').then(({ main }) => main());
}

function printVersion(): void {
  try {
    // Twice as fast as process.stdout, which loads the stream machinery first.
    writeSync(1, `${VERSION}\n`);
  } catch {
    // The reader is gone; there is nobody to tell.
  }
}
