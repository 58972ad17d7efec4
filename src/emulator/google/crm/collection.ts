import { invalidArgument } from '../wire/errors.ts';
import type { Json } from '../wire/json.ts';
import { page } from '../wire/paging.ts';
import { parameter } from '../wire/query-parameters.ts';
import { type Call, pageSizeOf } from '../wire/route.ts';
import type { Folder, Project } from '../world/state.ts';
import { checkParent } from './validation.ts';

const PAGE_SIZES = { usual: 50, most: 500 };

/** One page of a CRM collection as `{<member>: [...], nextPageToken}`; neither is there when it would be empty. */
export function crmPage<T>(
  call: Call,
  items: readonly T[],
  shape: {
    readonly member: string;
    readonly keyOf: (item: T) => string;
    readonly toJson: (item: T) => Json;
    /** Every parameter but the page's own. */
    readonly scope: readonly (string | undefined)[];
    readonly pageSize: number | undefined;
    readonly pageToken: string | undefined;
  },
): Json {
  const { items: selected, nextPageToken } = page(items, shape.keyOf, {
    scope: [shape.member, ...shape.scope],
    pageSize: pageSizeOf(call, shape.pageSize, PAGE_SIZES),
    pageToken: shape.pageToken,
  });
  return {
    ...(selected.length > 0 ? { [shape.member]: selected.map(shape.toJson) } : {}),
    nextPageToken,
  };
}

export function pagingOf(call: Call): { pageSize: number | undefined; pageToken: string | undefined } {
  const size = parameter(call.query, 'pageSize');
  return { pageSize: size === undefined ? undefined : Number(size), pageToken: parameter(call.query, 'pageToken') };
}

export function requireParentParameter(call: Call): string {
  const parent = parameter(call.query, 'parent');
  if (parent === undefined) throw invalidArgument('parent must be set.');
  return checkParent(parent);
}

/** By display name, then by name: siblings of a project may share the display name. */
export function displayOrder(item: Folder | Project): string {
  return `${item.displayName}\u0000${item.name}`;
}

/** Whether a search already sees the resource; each search that does not brings it nearer. */
export function isSearchable(call: Call, item: Folder | Project): boolean {
  if (item.searchLag === undefined) return true;
  call.world.touch();
  item.searchLag -= 1;
  if (item.searchLag <= 0) delete item.searchLag;
  return false;
}
