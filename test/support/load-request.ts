import type { LoadRequest } from '../../src/playbook/load.ts';

/** What loading a playbook needs where nothing but its text and the catalogues matters. */
export function loadRequest(
  path: string,
  text: string,
  catalogues: LoadRequest['catalogues'],
  changes: Partial<LoadRequest> = {},
): LoadRequest {
  return {
    path,
    text,
    catalogues,
    sets: [],
    workloadFile: null,
    action: 'apply',
    env: {},
    project: null,
    callerGuard: null,
    executionId: null,
    conditionalRoutes: 'error',
    ...changes,
  };
}
