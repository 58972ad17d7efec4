import { isAbsolute, join } from 'node:path';
import type { Host } from './host.ts';

/** The caller's own cache. A relative XDG_CACHE_HOME counts as not set, as its specification says. */
export function cacheFolder({ env, home }: Pick<Host, 'env' | 'home'>): string {
  const base = env['XDG_CACHE_HOME'];
  return join(base !== undefined && isAbsolute(base) ? base : join(home, '.cache'), 'infra');
}
