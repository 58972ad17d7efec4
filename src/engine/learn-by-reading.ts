import type { Declaration, Observation } from '../core/resource.ts';
import { type Learned, type LearnRequest, learnNames, observeNamed } from './learn-names.ts';
import { type Looking, settingsFor } from './readers.ts';

/** What else URNs are called, for a verb that only reads; each is looked at with what its stack is read with. */
export async function learnByReading(looking: Looking, request: Omit<LearnRequest<string>, 'look'>): Promise<Learned> {
  const look = async (declaration: Declaration, stack: string): Promise<Observation> => {
    const { provider } = declaration.action;
    const { auth, endpoint, settings: said } = looking.authOf(stack, provider);
    const settings = settingsFor(request.catalogues.get(provider), declaration, said);
    const opened = await looking.readers.open({ provider, auth, endpoint, settings });
    if (opened.kind === 'unusable') return { kind: 'unreadable', why: opened.why };
    return await observeNamed(opened.provider.openSession(), declaration);
  };
  return await learnNames({ ...request, look });
}
