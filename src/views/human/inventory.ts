import type { Inventory, ProviderResource } from '../../core/inventory.ts';
import { block, columnWidth, count, escapeText, pad } from '../text.ts';
import { type HumanOptions, type Paint, painter } from './style.ts';

/** Columns beyond which a cell no longer widens its column. */
const WIDEST = 64;
/** States that nobody has to look at. */
const ORDINARY = new Set(['ACTIVE', 'ENABLED', 'READY', 'RUNNING', 'IN_USE', 'UNKNOWN']);

type Row = readonly [id: string, name: string, status: string, rest: string];

/** A table a kind, and how many there are of each. */
export function renderInventory(inventory: Inventory, options: Pick<HumanOptions, 'color'>): string {
  const paint = painter(options.color);
  const kinds = [...new Set(inventory.resources.map((resource) => resource.kind))];
  const tables = kinds.flatMap((kind) => [...table(kind, inventory, paint), '']);
  return block([...tables, summary(inventory, kinds)]);
}

function summary({ scope, resources }: Inventory, kinds: readonly string[]): string {
  const where = escapeText(scope);
  if (resources.length === 0) return `Nothing in ${where}.`;
  const counts = kinds.map((kind) => {
    const number = resources.filter((resource) => resource.kind === kind).length;
    return count(number, words(kind));
  });
  return `${counts.join(', ')} in ${where}.`;
}

function words(kind: string): string {
  return escapeText(kind.replaceAll('_', ' '));
}

function table(kind: string, { resources }: Inventory, paint: Paint): readonly string[] {
  const rows = resources.filter((resource) => resource.kind === kind).map(cells);
  const head: Row = ['ID', 'NAME', 'STATUS', ''];
  const widths = ([0, 1, 2] as const).map((column) =>
    columnWidth(
      [head, ...rows].map((row) => row[column]),
      WIDEST,
    ),
  );
  const line = ([id, name, status, rest]: Row): string => {
    const shown = pad(status, widths[2] ?? 0);
    const inked = status === 'STATUS' || ORDINARY.has(status) ? shown : paint('warning', shown);
    return `  ${pad(id, widths[0] ?? 0)}  ${pad(name, widths[1] ?? 0)}  ${inked}  ${rest}`;
  };
  return [paint('bold', words(kind).toUpperCase()), line(head), ...rows.map(line)];
}

function cells(resource: ProviderResource): Row {
  const labels = Object.entries(resource.labels).map(([key, value]) => `${key}=${value}`);
  const rest = [...(resource.zone_id === null ? [] : [resource.zone_id]), ...resource.public_addresses, ...labels];
  return [escapeText(resource.id), escapeText(resource.name), escapeText(resource.status), escapeText(rest.join(' '))];
}
