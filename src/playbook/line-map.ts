import type { SourcePosition } from '../core/diagnostics.ts';
import type { Origin } from './tree.ts';

/** Offsets of a text as lines and columns (UTF-16 units), both from 1. */
export class LineMap implements Origin {
  readonly file: string;
  readonly #starts: number[] = [0];

  constructor(file: string, text: string) {
    this.file = file;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  position(offset: number): SourcePosition {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.file, line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}
