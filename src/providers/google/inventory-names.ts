import type { JsonObject } from '../../core/json.ts';
import { idOf, type Scope } from './inventory-scope.ts';
import type { PlacedGrant } from './inventory-snapshot.ts';
import { text } from './observing.ts';

/** What people call the folders and grants of a scope; made into names of steps by whoever writes them. */
export class ScopeNames {
  private readonly scope: Scope;
  private readonly folders: ReadonlyMap<string, JsonObject>;

  constructor(scope: Scope, folders: readonly JsonObject[]) {
    this.scope = scope;
    this.folders = new Map(folders.map((folder) => [text(folder, 'name'), folder]));
  }

  /** Display names from below the scope down to a folder; empty for what is no folder in it. */
  pathOf(name: string): readonly string[] {
    const path: string[] = [];
    for (let folder = this.folders.get(name); folder !== undefined && path.length < this.folders.size; ) {
      path.unshift(text(folder, 'displayName'));
      folder = this.folders.get(text(folder, 'parent'));
    }
    return path;
  }

  /** By its name, by its path, by its number. What can't be spelt in ASCII has its number from the start. */
  folder(name: string): readonly string[] {
    const path = this.pathOf(name);
    const number = idOf(name);
    const own = path.at(-1) ?? '';
    if (!isSpelt(own)) return [`folder ${number} ${own}`];
    return [`folder ${own}`, ...(path.every(isSpelt) ? [`folder ${path.join(' ')}`] : []), `folder ${number} ${own}`];
  }

  /** By where it stands, the role and the member; the shorter ones leave out what seldom tells grants apart. */
  grant({ resource, role, member, condition }: PlacedGrant): readonly string[] {
    const title = condition === null ? '' : ` ${text(condition, 'title')}`;
    const full = `${words(role.replace(/(^|\/)roles\//, '$1'))} ${words(member)}${title}`;
    const [short = '', ...longer] = this.place(resource);
    return [
      `grant ${short} ${words(role.split(/[./]/).at(-1) ?? '')} ${memberName(member)}`,
      `grant ${short} ${full}`,
      ...longer.map((place) => `grant ${place} ${full}`),
    ];
  }

  private place(resource: string): readonly string[] {
    if (resource.startsWith('organizations/')) return ['organization'];
    if (resource.startsWith('projects/')) return [idOf(resource)];
    return resource === this.scope.name ? [`folder ${idOf(resource)}`] : this.folder(resource);
  }
}

/** `folderAdmin` as two words. */
function words(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1 $2');
}

/** Who it is, without the kind and the domain: `group:cloud-admins@example.com` is `cloud-admins`. */
function memberName(member: string): string {
  const value = words(member.slice(member.indexOf(':') + 1));
  const workload = /\[(.+)\]$/.exec(value)?.[1];
  if (workload !== undefined) return workload;
  return value.startsWith('//') ? (value.split('/').at(-1) ?? '') : (value.split('@')[0] ?? '');
}

/** Whether letters with their accents off are all ASCII. */
function isSpelt(name: string): boolean {
  return /^[\x20-\x7e]*[A-Za-z0-9][\x20-\x7e]*$/.test(name.normalize('NFKD').replace(/\p{M}/gu, ''));
}
