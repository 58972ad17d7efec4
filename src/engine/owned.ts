import { forStack } from '../core/fold.ts';
import { compareText } from '../core/graph.ts';
import { FORMAT_VERSION } from '../core/plan.ts';
import type { OwnedReport } from '../core/reports.ts';
import type { LogState } from '../eventlog/event-log.ts';
import { entryOf } from './orphans.ts';
import type { EnginePorts } from './ports.ts';
import { stackNotice } from './stack-notice.ts';

export interface OwnedRequest {
  readonly catalogues: EnginePorts['catalogues'];
  /** What the log knows of the target, now or at the time. */
  readonly state: LogState;
  readonly target: string;
  /** Null: every stack. */
  readonly stack: string | null;
  /** Null: now. */
  readonly at: Date | null;
}

/** What is owned, by URN. */
export function listOwned(request: OwnedRequest): OwnedReport {
  const { state, target, stack, at } = request;
  const model = stack === null ? state.model : forStack(state.model, stack);
  const items = [...model.owned.values()].sort((a, b) => compareText(a.urn, b.urn));
  return {
    format_version: FORMAT_VERSION,
    command: 'log owned',
    target,
    stack,
    at: at === null ? null : at.toISOString(),
    owned: items.map((item) => ({
      ...entryOf(request, state, item),
      provider: item.provider,
      resource_id: item.resourceId,
    })),
    tombstoned: model.tombstones.size,
    diagnostics: [...state.diagnostics, ...stackNotice(state.model, stack)],
  };
}
