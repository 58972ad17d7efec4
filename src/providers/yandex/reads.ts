import type { Answer, Folder, YcClient } from './client.ts';
import type { KindDefinition, Live } from './define-kind.ts';

/** Where lookups get what they look at. */
export interface Reads {
  list(definition: KindDefinition): Promise<Answer<readonly Live[]>>;
  get(definition: KindDefinition, id: string): Promise<Answer<Live>>;
  folder(): Promise<Answer<Folder>>;
}

/** Reads of one phase: each list, each resource and the folder at most once. */
export function sharedReads(client: YcClient): Reads {
  const lists = new Map<KindDefinition, Promise<Answer<readonly Live[]>>>();
  const gets = new Map<string, Promise<Answer<Live>>>();
  let folder: Promise<Answer<Folder>> | null = null;
  return {
    list: (definition) => once(lists, definition, () => client.list(definition)),
    get: (definition, id) => once(gets, `${definition.kind}/${id}`, () => client.get(definition, id)),
    folder: () => {
      folder ??= client.folder();
      return folder;
    },
  };
}

function once<K, V>(known: Map<K, V>, key: K, ask: () => V): V {
  const found = known.get(key) ?? ask();
  known.set(key, found);
  return found;
}
