import { type CheckpointCache, loadCheckpoint, type OpenedLog, saveCheckpoint } from './checkpoint-file.ts';
import { foldFile, type ReadOptions, type ReadResult } from './read-log.ts';

const MIN_BYTES = 8 << 20;

/**
 * Folds a log on from the last checkpoint that fits it, else from its start, and keeps a new one where much was read.
 * What is trusted is the user's own cache. Of a long log of sealed rows a prefix that was rewritten in place, with the
 * same end, is found by walking the chain, as every apply does, and not here; of any other here, by its whole hash.
 */
export async function foldCheckpointed(
  log: OpenedLog,
  options: ReadOptions,
  cache: CheckpointCache | null,
): Promise<ReadResult> {
  const size = Number(log.stats.size);
  // What a checkpoint covers is not looked at again: broken lines in it would not be counted.
  if (cache === null || options.skipInvalid || options.until !== undefined) return foldFile(log.handle, size, options);
  const minBytes = cache.minBytes ?? MIN_BYTES;
  const from = size < minBytes ? null : await loadCheckpoint(cache, log);
  const result = await foldFile(log.handle, size, options, from ?? undefined);
  const read = size - (from?.place.offset ?? 0);
  if (result.resumable !== null && read >= minBytes) await saveCheckpoint(cache, log, result.resumable);
  return result;
}
