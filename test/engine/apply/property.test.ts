import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasChanges } from '../../../src/core/plan.ts';
import type { Playbook } from '../../../src/core/step.ts';
import { boxFact, digestOf, House, type RunOptions } from '../../support/in-memory/house.ts';
import { type Death, MortalProcess } from '../../support/in-memory/mortal.ts';
import {
  box,
  dropBox,
  grant,
  playbookOf,
  readBox,
  ref,
  type StepMaker,
  shelf,
} from '../../support/in-memory/playbooks.ts';

type Live = 'absent' | 'as declared' | 'differs' | 'owned' | 'elsewhere';

/** One step of a random site, with how its resource is live beforehand. */
interface Part {
  readonly kind: 'box' | 'shelf' | 'grant' | 'drop' | 'read';
  readonly live: Live;
  /** Indexes of earlier parts that it depends on; the first box or shelf among them is its parent. */
  readonly needs: readonly number[];
  readonly protect: boolean | null;
  readonly inParent: boolean;
}

const part: fc.Arbitrary<Part> = fc.record({
  kind: fc.constantFrom('box', 'box', 'box', 'shelf', 'grant', 'grant', 'drop', 'read'),
  live: fc.constantFrom('absent', 'absent', 'as declared', 'differs', 'owned', 'elsewhere'),
  needs: fc.uniqueArray(fc.nat(7), { maxLength: 3 }),
  protect: fc.constantFrom(null, null, true, false),
  inParent: fc.boolean(),
});

const site = fc.array(part, { minLength: 1, maxLength: 8 });

interface Site {
  readonly house: House;
  readonly playbook: Playbook;
}

/** The world before, and the playbook for it. */
function build(parts: readonly Part[]): Site {
  const house = new House();
  house.cloud.addBox('base', { id: 'folders/1' });
  const steps = parts.map((item, index) => stepFor(house, parts, item, index));
  return { house, playbook: playbookOf(steps) };
}

function stepFor(house: House, parts: readonly Part[], item: Part, index: number): StepMaker {
  const name = `p${index}`;
  const earlier = item.needs.filter((need) => need < index);
  const dependsOn = earlier.map(nameOf(parts));
  const boxes = earlier.filter((need) => parts[need]?.kind === 'box');
  const [within] = boxes;
  const parent = within !== undefined && item.inParent ? ref(`p${within}`, 'resource.name') : 'organizations/1';
  const overrides = { dependsOn, protect: item.protect };
  switch (item.kind) {
    case 'box':
      place(house, name, item.live);
      return box(name, { parent, title: 'declared', labels: { mine: '1' } }, overrides);
    case 'shelf':
      if (item.live === 'as declared') house.cloud.addShelf('organizations/1', name, 'n');
      if (item.live === 'differs') house.cloud.addShelf('organizations/1', name, 'other');
      return shelf(name, { parent, note: 'n' }, overrides);
    case 'grant':
      return grant(name, { box: within === undefined ? 'base' : `p${within}`, role: name }, overrides);
    case 'drop':
      place(house, `victim${index}`, item.live);
      return dropBox(`victim${index}`, { dependsOn });
    case 'read':
      return readBox(name, 'base', { dependsOn });
  }
}

function nameOf(parts: readonly Part[]) {
  return (index: number): string => (parts[index]?.kind === 'drop' ? `drop_victim${index}` : `p${index}`);
}

function place(house: House, name: string, live: Live): void {
  const declared = { title: 'declared', labels: { mine: '1', theirs: '2' } };
  if (live === 'absent') return;
  const made = house.cloud.addBox(name, {
    ...declared,
    ...(live === 'differs' ? { title: 'live' } : {}),
    ...(live === 'elsewhere' ? { parent: 'folders/1' } : {}),
  });
  if (live === 'owned') house.log.remember(boxFact(name, { resource_id: made.id }));
}

test('plan, apply, plan: nothing is left to do', async () => {
  await fc.assert(
    fc.asyncProperty(site, fc.integer({ min: 1, max: 4 }), async (parts, parallelism) => {
      const { house, playbook } = build(parts);
      const report = await house.applied(playbook, { settings: { parallelism } });
      expect(report.summary).toMatchObject({ failed: 0, blocked: 0, refused: 0, uncertain: 0, pending: 0, skipped: 0 });
      const again = await house.plan(playbook);
      expect(hasChanges(again.plan)).toBe(false);
      expect(again.plan.steps.filter((step) => step.record !== null)).toEqual([]);
      expect((await house.log.read('cloud')).openIntents).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('the order of the steps in the file changes neither the plan nor what comes of it', async () => {
  await fc.assert(
    fc.asyncProperty(site, async (parts) => {
      const [one, two] = [build(parts), build(parts)];
      const reversed = { ...two.playbook, steps: [...two.playbook.steps].reverse() };
      const plan = await one.house.plan(one.playbook);
      expect((await two.house.plan(reversed)).plan.digest).toBe(plan.plan.digest);
    }),
    { numRuns: 60 },
  );
});

/** Applies in a process that dies; what is left of it is in cloud and log. */
async function killed(
  { house, playbook }: Site,
  confirm: string,
  death: Death | null,
  run: RunOptions = {},
): Promise<MortalProcess> {
  const mortal = new MortalProcess(death);
  const ports = house.ports({ log: mortal.log(house.log), pool: mortal.pool(house.pool) });
  await Promise.race([house.apply(playbook, { ...run, confirm }, ports), mortal.died]);
  house.log.held.clear();
  return mortal;
}

/** Every place where a process that did this much could have died. */
function deathsIn({ counts }: MortalProcess): readonly Death[] {
  return (['append', 'write'] as const).flatMap((at) =>
    Array.from({ length: counts[at] }, (_, index) => index + 1).flatMap((nth) =>
      (['before', 'after'] as const).map((when) => ({ at, nth, when })),
    ),
  );
}

/** Every place where the apply of a site can die. */
async function deathsOf(parts: readonly Part[]): Promise<readonly Death[]> {
  const whole = build(parts);
  return deathsIn(await killed(whole, digestOf(await whole.house.plan(whole.playbook)), null));
}

test('killed at any append or write, the same digest goes on: nothing is made twice, nothing confirmed is lost', async () => {
  await fc.assert(
    fc.asyncProperty(site, async (parts) => {
      for (const death of await deathsOf(parts)) {
        const broken = build(parts);
        const { house, playbook } = broken;
        const confirm = digestOf(await house.plan(playbook));
        await killed(broken, confirm, death);
        const confirmed = house.log.facts.map((fact) => `${fact.urn} ${fact.outcome}`);
        const report = await house.applied(playbook, { confirm });
        expect(report.summary, JSON.stringify(death)).toMatchObject({ failed: 0, blocked: 0, refused: 0, skipped: 0 });
        expect(house.cloud.creations).toEqual([...new Set(house.cloud.creations)]);
        expect(house.log.facts.slice(0, confirmed.length).map((fact) => `${fact.urn} ${fact.outcome}`)).toEqual(
          confirmed,
        );
        expect(hasChanges((await house.plan(playbook)).plan)).toBe(false);
        expect((await house.log.read('cloud')).openIntents).toEqual([]);
      }
    }),
    { numRuns: 25 },
  );
}, 60_000);

test('killed at any append or write and killed again at any other, a third run converges', async () => {
  await fc.assert(
    fc.asyncProperty(site, fc.nat(), fc.nat(), async (parts, first, second) => {
      const deaths = await deathsOf(parts);
      if (deaths.length === 0) return;
      const broken = build(parts);
      const confirm = digestOf(await broken.house.plan(broken.playbook));
      await killed(broken, confirm, deaths[first % deaths.length] ?? null);
      await killed(broken, confirm, deaths[second % deaths.length] ?? null);
      await broken.house.applied(broken.playbook, { confirm });
      expect(broken.house.cloud.creations).toEqual([...new Set(broken.house.cloud.creations)]);
      expect(hasChanges((await broken.house.plan(broken.playbook)).plan)).toBe(false);
    }),
    { numRuns: 60 },
  );
});

interface Meddling {
  readonly index: number;
  readonly what: 'title' | 'their label' | 'our label' | 'parent' | 'delete' | 'make';
}

const meddling: fc.Arbitrary<Meddling> = fc.record({
  index: fc.nat(7),
  what: fc.constantFrom('title', 'their label', 'our label', 'parent', 'delete', 'make'),
});

/** Someone else changes one box of the site, where it is there to be changed. */
function meddle(house: House, { index, what }: Meddling): void {
  const name = house.cloud.boxes.has(`victim${index}`) ? `victim${index}` : `p${index}`;
  const found = house.cloud.boxes.get(name);
  if (what === 'make' && found === undefined) house.cloud.addBox(name, { title: 'theirs' });
  if (found === undefined) return;
  if (what === 'title') house.cloud.changeBox(name, { title: 'theirs' });
  if (what === 'their label') house.cloud.changeBox(name, { labels: { ...found.labels, theirs: 'new' } });
  if (what === 'our label') house.cloud.changeBox(name, { labels: { ...found.labels, mine: 'new' } });
  if (what === 'parent') house.cloud.changeBox(name, { parent: 'folders/1' });
  if (what === 'delete') house.cloud.boxes.delete(name);
}

test('whatever someone does between review and apply: refused with what differs and nothing sent, or still the same plan', async () => {
  await fc.assert(
    fc.asyncProperty(site, fc.array(meddling, { maxLength: 3 }), async (parts, meddlings) => {
      const { house, playbook } = build(parts);
      const confirm = digestOf(await house.plan(playbook));
      for (const each of meddlings) meddle(house, each);
      const now = (await house.plan(playbook)).plan.digest;
      const result = await house.apply(playbook, { confirm });
      if (now === confirm) {
        expect(result.kind).toBe('applied');
        return;
      }
      expect(result.kind === 'refused' && result.differences.length > 0).toBe(true);
      expect(house.cloud.writes).toEqual([]);
      expect(house.log.intents).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('whatever someone does while a run waits: what they set in our fields is not overwritten', async () => {
  await fc.assert(
    fc.asyncProperty(site, fc.nat(7), async (parts, index) => {
      const { house, playbook } = build(parts);
      const name = `p${index}`;
      const confirm = digestOf(await house.plan(playbook));
      const first = playbook.steps.find((step) => step.action.endsWith('boxes.ensure') && step.address !== name);
      if (first === undefined || !house.cloud.boxes.has(name)) return;
      const gate = house.cloud.hold(`mem:store:box:${first.address}`);
      const running = house.applied(playbook, { confirm, settings: { parallelism: 1 } });
      await Promise.race([gate.reached, running]);
      const done = house.cloud.written.includes(`mem:store:box:${name}`);
      house.clock.advance(6000);
      house.cloud.changeBox(name, { title: 'theirs' });
      gate.open();
      await running;
      if (!done) expect(house.cloud.boxes.get(name)?.title).toBe('theirs');
    }),
    { numRuns: 100 },
  );
});

const DESTROY = { verb: 'destroy' } as const;

/** A site that was applied, and the digest of its destruction. */
async function doomed(parts: readonly Part[]): Promise<Site & { readonly confirm: string }> {
  const made = build(parts.filter((item) => item.kind !== 'drop' && item.kind !== 'read'));
  await made.house.applied(made.playbook);
  return { ...made, confirm: digestOf(await made.house.plan(made.playbook, DESTROY)) };
}

test('a destruction killed at any append or write goes on under the same digest, and keeps what it must', async () => {
  await fc.assert(
    fc.asyncProperty(site, async (parts) => {
      const whole = await doomed(parts);
      const deaths = deathsIn(await killed(whole, whole.confirm, null, DESTROY));
      const left = [whole.house.cloud.boxes.size, whole.house.cloud.shelves.size];
      for (const death of deaths) {
        const broken = await doomed(parts);
        const { house, playbook, confirm } = broken;
        await killed(broken, confirm, death, DESTROY);
        const report = await house.applied(playbook, { ...DESTROY, confirm });
        expect(report.summary, JSON.stringify(death)).toMatchObject({
          failed: 0,
          refused: 0,
          skipped: 0,
          uncertain: 0,
        });
        expect([house.cloud.boxes.size, house.cloud.shelves.size]).toEqual(left);
        const { model, openIntents } = await house.log.read('cloud');
        expect(openIntents).toEqual([]);
        expect([...model.owned.keys()].sort()).toEqual(
          [...(await whole.house.log.read('cloud')).model.owned.keys()].sort(),
        );
      }
    }),
    { numRuns: 20 },
  );
}, 60_000);
