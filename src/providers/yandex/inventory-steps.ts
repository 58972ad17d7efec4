import type { DraftedScope, DraftLink, DraftRequest, LeftOut, StepDraft } from '../../core/inventory.ts';
import type { Dependency, KindDefinition, KindName, Live } from './define-kind.ts';
import { LogicalIds } from './inventory-ids.ts';
import { asSpecified, type Declarable, inputOf } from './inventory-inputs.ts';
import { ownerOfScope, type ScopeOwner } from './inventory-owner.ts';
import { kindOf } from './kinds.ts';
import { describeOwner, RESOURCE_LABEL, type Standing, standingOf } from './ownership.ts';
import { addressIdOf } from './session.ts';

/** All that is live in a folder, by kind. */
export type LiveFolder = ReadonlyMap<KindName, readonly Live[]>;

/** Kinds as a playbook has them: what others need comes first. */
const SECTIONS: Readonly<Record<KindName, string>> = {
  network: 'Networks',
  subnet: 'Subnets',
  security_group: 'Security groups',
  address: 'Addresses',
  disk: 'Disks',
  instance: 'Machines',
};
const KINDS = Object.keys(SECTIONS) as readonly KindName[];

/** A folder as the steps that would declare it, and what can't be declared. */
export function draftFolder(folder: LiveFolder, folderId: string, request: DraftRequest): DraftedScope {
  const lives = KINDS.flatMap((kind) => folder.get(kind) ?? []);
  const owner = ownerOfScope(lives, folderId, request);
  const { steps, leftOut, unmarked } = new Drafting(lives, owner).draft();
  const { project, stack, owner: name, guessed } = owner;
  return {
    provider: 'yandex',
    scope: folderId,
    stack,
    defaults: { settings: { folder_id: folderId }, identity: { project, owner: name } },
    remarks: [...UNREAD, ...(guessed.length === 0 ? [] : ['', ...placeholders(guessed)])],
    unmarked,
    steps,
    leftOut,
  };
}

const UNREAD = [
  'What no input says is not here and stays as it is: route tables, DHCP options, DNS records, service accounts,',
  'metadata, images, snapshots and whatever else is in the folder.',
];

function placeholders(guessed: readonly string[]): readonly string[] {
  const words = guessed.length === 1 ? 'a placeholder' : 'placeholders';
  return [
    `Nothing tells whose all this is: under defaults, ${guessed.join(', ')} had to be ${words}.`,
    'Mend that before anything is adopted: it becomes labels and part of every URN.',
  ];
}

interface Candidate {
  readonly live: Live;
  readonly definition: KindDefinition;
  readonly standing: Standing;
  readonly found: Extract<Declarable, { kind: 'declarable' }>;
}

class Drafting {
  private readonly lives: readonly Live[];
  private readonly owner: ScopeOwner;
  private readonly byId: ReadonlyMap<string, Live>;
  private readonly addresses: readonly Live[];
  /** Logical ids of what is drafted, by the resource's own id. */
  private readonly drafted = new Map<string, string>();
  private readonly steps: StepDraft[] = [];
  private readonly leftOut = new Map<string, string[]>();
  private unmarked = 0;

  constructor(lives: readonly Live[], owner: ScopeOwner) {
    this.lives = lives;
    this.owner = owner;
    this.byId = new Map(lives.map((live) => [live.id, live]));
    this.addresses = lives.filter(({ kind }) => kind === 'address');
  }

  draft(): Pick<DraftedScope, 'steps' | 'leftOut' | 'unmarked'> {
    const candidates = this.lives.flatMap((live) => this.candidate(live));
    const ids = new LogicalIds(candidates.map(({ live }) => live));
    for (const candidate of candidates) {
      const id = ids.of(candidate.live);
      if (id.kind === 'ok') this.add(candidate, id.id);
      else this.leave(id.why, shown(candidate.live));
    }
    const leftOut: readonly LeftOut[] = [...this.leftOut].map(([why, what]) => ({ why, what }));
    return { steps: this.steps, leftOut, unmarked: this.unmarked };
  }

  /** What can be declared at all, whatever it leads to. */
  private candidate(live: Live): readonly Candidate[] {
    const definition = kindOf(live.kind);
    const standing = standingOf(live.labels, { ...this.owner, logicalId: live.labels[RESOURCE_LABEL] ?? '' });
    if (live.isBuiltIn) this.leave('what the cloud makes and removes together with its network', shown(live));
    else if (live.status === 'DELETING') this.leave('what is being deleted', shown(live));
    else if (standing === 'foreign')
      this.leave("what its labels call someone else's", `${shown(live)} (${describeOwner(live.labels)})`);
    else {
      const found = inputOf(definition, live);
      if (found.kind === 'declarable') return [{ live, definition, standing, found }];
      this.leave('what a playbook can not declare', `${shown(live)}: ${found.why}`);
    }
    return [];
  }

  private add({ live, definition, standing, found }: Candidate, logicalId: string): void {
    const links = this.linksOf(live, definition);
    if (typeof links === 'string') {
      this.leave('what needs something that no step here makes', `${shown(live)}: ${links}`);
      return;
    }
    const isOurs = standing === 'ours';
    const logicalIds = Object.fromEntries(links.map(({ item, id }) => [item.field, this.drafted.get(id) ?? '']));
    const input = isOurs ? asSpecified(definition, live, found.input, logicalIds) : found.input;
    const byResourceId = !isOurs || definition.hidden.length > 0;
    if (!isOurs) this.unmarked += 1;
    this.drafted.set(live.id, logicalId);
    this.steps.push({
      key: keyOf(live),
      names: [logicalId, `${live.kind} ${logicalId}`],
      section: SECTIONS[live.kind],
      action: `yandex.${definition.service}.${live.kind}.ensure`,
      tool: { logical_id: logicalId, ...(byResourceId ? { resource_id: live.id } : {}) },
      input,
      within: Object.fromEntries(links.map(({ item, id }) => [item.input, this.linkTo(item, id)])),
      notes: [...found.notes, ...live.undeclared],
    });
  }

  private linkTo({ kind }: Dependency, id: string): DraftLink {
    return { key: keyOf({ kind, id }), by: 'step' };
  }

  /** What its typed dependencies lead to; a text: why one of them leads to no step. */
  private linksOf(live: Live, { dependencies }: KindDefinition): readonly { item: Dependency; id: string }[] | string {
    const links: { item: Dependency; id: string }[] = [];
    for (const item of dependencies) {
      const what = item.kind.replaceAll('_', ' ');
      const id =
        item.field === 'address_id' ? addressIdOf(live, this.addresses) : String(live.fields[item.field] ?? '');
      if (id === '') return `it has no ${item.kind === 'address' ? 'static public address' : what}.`;
      if (id.includes(',')) return `it has more than one ${what} (${id.replaceAll(',', ', ')}).`;
      if (!this.byId.has(id)) return `its ${what} ${id} is not in this folder.`;
      if (!this.drafted.has(id)) return `its ${what} ${id} is left out.`;
      links.push({ item, id });
    }
    return links;
  }

  private leave(why: string, what: string): void {
    const known = this.leftOut.get(why);
    if (known === undefined) this.leftOut.set(why, [what]);
    else known.push(what);
  }
}

function keyOf({ kind, id }: Pick<Live, 'kind' | 'id'>): string {
  return `${kind}/${id}`;
}

function shown({ kind, id, name }: Live): string {
  return `${kind.replaceAll('_', ' ')} ${id}${name === '' ? '' : ` ${name}`}`;
}
