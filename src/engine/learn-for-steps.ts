import { diagnostic } from '../core/codes.ts';
import type { Diagnostic } from '../core/diagnostics.ts';
import type { OwnershipModel } from '../core/fold.ts';
import type { Declaration, Observation } from '../core/resource.ts';
import { type Learned, learnNames, observeNamed, type Untold } from './learn-names.ts';
import { urnThroughLog } from './log-names.ts';
import type { PlanContext } from './plan-context.ts';
import type { EnginePorts } from './ports.ts';
import type { Prepared, PreparedStep } from './prepare.ts';

/** What else the resources of a playbook's steps are called, looked at with the steps' own authority. */
export async function learnForSteps(
  { catalogues }: Pick<EnginePorts, 'catalogues'>,
  prepared: Prepared,
  model: OwnershipModel,
  open: PlanContext['open'],
): Promise<Learned> {
  const steps = [...prepared.steps.values()].flatMap((item) => {
    const urn = item.spec.kind === 'read' ? null : urnThroughLog(prepared, item, model);
    return urn === null ? [] : [{ item, urn }];
  });
  const going = steps.filter(({ item }) => goesWhole(prepared, item)).map(({ urn }) => urn);
  const look = async (declaration: Declaration, item: PreparedStep): Promise<Observation> => {
    const opened = await open(item);
    if (opened.kind === 'unusable') return { kind: 'unreadable', why: opened.why };
    return await observeNamed(opened.provider.openSession(), declaration);
  };
  const asked = steps.map(({ item, urn }) => ({ urn, via: item }));
  return await learnNames({ catalogues, model, asked, going: new Set(going), look });
}

function goesWhole({ verb }: Prepared, { spec, catalogue }: PreparedStep): boolean {
  const goes = spec.kind === 'delete' || (verb === 'destroy' && spec.kind === 'ensure');
  return goes && catalogue.traitsOf(spec.resourceType).takesContents;
}

/** Blocks each deletion of what may be, or may contain, something protected that is known by another name. */
export function blockUntold(prepared: Prepared, { model, untold }: Learned): Prepared {
  const kept = untold.filter(({ urns }) => urns.some((urn) => model.protection.get(urn) === true));
  if (kept.length === 0) return prepared;
  const steps = new Map(
    [...prepared.steps].map(([address, item]) => {
      const found = item.spec.kind === 'delete' && item.verdict === null ? untoldAbout(item, model, kept) : null;
      return [address, found === null ? item : { ...item, verdict: { kind: 'blocked' as const, why: found } }];
    }),
  );
  return { ...prepared, steps };
}

function untoldAbout(
  { declaration, step }: PreparedStep,
  { protection }: OwnershipModel,
  untold: readonly Untold[],
): Diagnostic | null {
  for (const { urns, why } of untold) {
    const other = urns.find((urn) => urn !== declaration.urn && protection.get(urn) === true);
    if (other === undefined || !urns.some((urn) => urn === declaration.urn)) continue;
    const detail = `${other} is protected and may be this or lie in it under another name, which neither the log nor a look at the cloud gives (${why.detail}).`;
    return diagnostic('BLOCKED', detail, {
      address: step.address,
      urn: declaration.urn,
      source: step.source,
      hint: `Give a credential that may read it, or give it up: infra forget ${other}`,
    });
  }
  return null;
}
