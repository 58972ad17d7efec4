import type { Segment } from './own-path.ts';

const PLAIN = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** A path as references carry it: `resource.labels["a.b"][0]`. */
export function formatPath(segments: readonly Segment[]): string {
  return segments
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!PLAIN.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}
