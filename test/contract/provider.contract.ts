import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasChanges, hasPendingWrite } from '../../src/core/plan.ts';
import { House, outcomesOf, type Providers } from '../support/in-memory/house.ts';
import { playbookOf, type StepMaker, type StepOverrides } from '../support/in-memory/playbooks.ts';

/** A world in which one resource is absent and all that it lies in is there. */
export interface ContractWorld {
  readonly providers: Providers;
  /** Absent and forbidden are answered alike: absence can't be told. */
  readonly hidesAbsence?: boolean;
  /** The step that ensures the resource; its address is `it`. */
  ensure(overrides?: StepOverrides): StepMaker;
  /** The same resource with something else declared; null where there is nothing to update in place. */
  ensureOther(): StepMaker | null;
  /** The step that deletes it; its address is `drop`. */
  remove(): StepMaker;
  /** A read action whose answer names the resource; null where there is none. */
  list(): { readonly step: StepMaker; readonly names: string } | null;
  /** Someone else changes it (where nothing can be changed, takes it away). */
  changeOutside(): Promise<void>;
  /** Someone else makes it as it is declared. */
  makeOutside(): Promise<void>;
  /** From now on this identity may see nothing. */
  forbid(): void;
  close(): Promise<void>;
}

/** What every provider must do for every type of resource, seen through the engine. */
export function providerContract(what: string, open: () => Promise<ContractWorld>): void {
  describe(what, () => {
    let world: ContractWorld;
    let house: House;
    beforeEach(async () => {
      world = await open();
      house = new House(world.providers);
    });
    afterEach(async () => {
      await world.close();
    });

    const only = async (step: StepMaker) => {
      const { plan } = await house.plan(playbookOf([step]));
      const [shown] = plan.steps;
      if (shown === undefined) throw new Error('no step');
      return { plan, shown };
    };
    const created = async () => outcomesOf(await house.applied(playbookOf([world.ensure()])));

    test('what is absent is created, is then in sync, and leaves nothing to do', async () => {
      expect((await only(world.ensure())).shown).toMatchObject({
        change: 'create',
        present: world.hidesAbsence === true ? 'unknown' : false,
      });
      expect(await created()).toEqual({ it: 'changed' });
      const report = await only(world.ensure({ reconcile: 'report' }));
      expect(report.shown).toMatchObject({ change: 'none', drift: 'in_sync' });
      const again = await only(world.ensure());
      expect(again.shown).toMatchObject({ change: 'none', present: true, record: null });
      expect(hasChanges(again.plan)).toBe(false);
    });

    test('a plan before and after is the same on another day, and writes nothing', async () => {
      const first = await only(world.ensure());
      house.clock.advance(86_400_000);
      const second = await only(world.ensure());
      expect(second.plan.digest).toBe(first.plan.digest);
      expect(house.log.rows).toEqual([]);
    });

    test('what someone else changed is seen, and mended', async () => {
      await created();
      await world.changeOutside();
      const { shown } = await only(world.ensure({ reconcile: 'report' }));
      expect(['modified', 'missing']).toContain(shown.drift);
      const { plan, shown: mending } = await only(world.ensure());
      expect(hasPendingWrite(mending)).toBe(true);
      expect(plan.digest).not.toBeNull();
      expect(outcomesOf(await house.applied(playbookOf([world.ensure()])))).toEqual({ it: 'changed' });
      expect(hasChanges((await only(world.ensure())).plan)).toBe(false);
    });

    test('another declaration is an update in place, and converges', async () => {
      await created();
      const other = world.ensureOther();
      if (other === null) return;
      const { shown } = await only(other);
      expect(['update', 'move']).toContain(shown.change);
      expect(Object.keys(shown.diff)).not.toEqual([]);
      expect(outcomesOf(await house.applied(playbookOf([other])))).toEqual({ it: 'changed' });
      expect(hasChanges((await only(other)).plan)).toBe(false);
      expect((await house.log.read('cloud')).model.owned.size).toBe(1);
    });

    test('what is there already is found, or adopted, without a write', async () => {
      await world.makeOutside();
      expect((await only(world.ensure())).shown).toMatchObject({ change: 'none', record: 'own' });
      const adopt = world.ensure({ reconcile: 'adopt' });
      expect((await only(adopt)).shown).toMatchObject({ change: 'adopt', record: 'own' });
      expect(outcomesOf(await house.applied(playbookOf([adopt])))).toEqual({ it: 'adopted' });
      expect(house.log.intents).toEqual([]);
      expect(hasChanges((await only(adopt)).plan)).toBe(false);
      expect(hasChanges((await only(world.ensure())).plan)).toBe(false);
    });

    test('what is absent is not adopted', async () => {
      expect((await only(world.ensure({ reconcile: 'adopt' }))).shown.change).toBe('blocked');
    });

    test('it is deleted once; deleting it again is nothing', async () => {
      await created();
      expect((await only(world.remove())).shown).toMatchObject({ change: 'delete', present: true });
      expect(outcomesOf(await house.applied(playbookOf([world.remove()])))).toEqual({ drop: 'deleted' });
      expect(outcomesOf(await house.applied(playbookOf([world.remove()])))).toEqual({ drop: 'absent' });
      expect(hasChanges((await only(world.remove())).plan)).toBe(false);
      expect((await house.log.read('cloud')).model.owned.size).toBe(0);
    });

    test('deleting what never was is nothing, or refused where that cannot be told', async () => {
      const expected =
        world.hidesAbsence === true ? { change: 'blocked', present: 'unknown' } : { change: 'none', present: false };
      expect((await only(world.remove())).shown).toMatchObject(expected);
    });

    test('a list or a read of where it lies finds it', async () => {
      await created();
      const listing = world.list();
      if (listing === null) return;
      const report = await house.applied(playbookOf([listing.step]));
      expect(report.steps[0]?.outcome).toBe('read');
      expect(JSON.stringify(report.steps[0]?.resource)).toContain(listing.names);
    });

    test('what may not be seen is unchecked, never missing, and nothing of it is deleted', async () => {
      await created();
      world.forbid();
      const { shown } = await only(world.ensure({ reconcile: 'report' }));
      expect(shown.drift === 'unchecked' || shown.change === 'blocked').toBe(true);
      expect(shown.present).toBe('unknown');
      const { shown: enforced } = await only(world.ensure());
      expect(enforced.present).toBe('unknown');
      expect(['blocked', 'create']).toContain(enforced.change);
      expect((await only(world.remove())).shown.change).toBe('blocked');
    });
  });
}
