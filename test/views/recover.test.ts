import { describe, expect, it } from 'vitest';
import { diagnostic } from '../../src/core/codes.ts';
import type { DoctorReport } from '../../src/core/doctor.ts';
import type { RecoverEntry, RecoverReport } from '../../src/core/recover-report.ts';
import { renderDoctor } from '../../src/views/human/doctor.ts';
import { renderRecovery } from '../../src/views/human/recover.ts';
import { doctorDocument } from '../../src/views/json/doctor.ts';
import { recoverDocument } from '../../src/views/json/recover.ts';
import { renderJson } from '../../src/views/json/render.ts';
import { HOSTILE_NAMES, whyUnprintable } from './support/hostile.ts';
import { PLAIN } from './support/plans.ts';

function entry(change: Partial<RecoverEntry> = {}): RecoverEntry {
  return {
    urn: 'yandex:vpc:network:f/p/s/n',
    address: 'network',
    operation_id: 'a'.repeat(32),
    verdict: 'found',
    resource_id: 'enp1',
    hint: null,
    operation: 'create',
    happened: true,
    ...change,
  };
}

function report(change: Partial<RecoverReport> = {}): RecoverReport {
  return {
    format_version: '1.0',
    command: 'recover',
    target: 'cloud',
    resolved: [],
    unresolved: [],
    rolled_back: [],
    abandoned: [],
    head: null,
    diagnostics: [],
    ...change,
  };
}

const FULL = report({
  resolved: [
    entry(),
    entry({ address: 'subnet', verdict: 'not_found', resource_id: null, happened: false }),
    entry({ address: 'disk', verdict: 'not_found', operation: 'delete' }),
    entry({ address: 'group', verdict: 'found', operation: 'delete', happened: false, hint: 'Ask again.' }),
  ],
  unresolved: [
    entry({ verdict: 'not_found', resource_id: null, hint: 'To look: yc vpc network list.', happened: null }),
  ],
  rolled_back: [entry()],
  abandoned: [entry({ verdict: 'unreadable', resource_id: null, happened: null })],
  head: `7:${'b'.repeat(64)}`,
});

describe('recover', () => {
  it('says what became of each request', () => {
    expect(renderRecovery(FULL, PLAIN)).toBe(`Recovery on the real cloud

Settled (4)
  network  yandex:vpc:network:f/p/s/n
      it happened, and is recorded (enp1)
  subnet  yandex:vpc:network:f/p/s/n
      it had no effect, and is closed
  disk  yandex:vpc:network:f/p/s/n
      it is gone, which is recorded (enp1)
  group  yandex:vpc:network:f/p/s/n
      it was not deleted: closed (enp1)
      Ask again.

Rolled back (1)
  network  yandex:vpc:network:f/p/s/n
      undone (enp1)

Abandoned (1)
  network  yandex:vpc:network:f/p/s/n
      closed by hand, unread

Still open (1)
  network  yandex:vpc:network:f/p/s/n
      nothing is to be seen of it, which proves nothing
      To look: yc vpc network list.

4 settled, 1 rolled back, 1 abandoned, 1 request still open.
Log head: 7:${'b'.repeat(64)}
`);
    expect(renderRecovery(report(), PLAIN)).toContain('Nothing is open.');
  });

  it('is the contract in JSON, key by key', () => {
    const document: unknown = JSON.parse(renderJson(recoverDocument(FULL)));
    expect(Object.keys(document as object)).toEqual([
      'format_version',
      'command',
      'target',
      'resolved',
      'unresolved',
      'rolled_back',
      'abandoned',
      'head',
      'diagnostics',
    ]);
    expect(document).toMatchObject({ abandoned: [{ verdict: 'unreadable' }], unresolved: [{ verdict: 'not_found' }] });
  });

  it.each(HOSTILE_NAMES)('prints nothing that drives a terminal: %j', (name) => {
    const hostile = entry({ urn: name, address: name, resource_id: name, hint: name });
    const diagnostics = [diagnostic('CONFLICT', name, { hint: name, urn: name })];
    const shown = report({ resolved: [hostile], unresolved: [hostile], rolled_back: [hostile], diagnostics });
    expect(whyUnprintable(renderRecovery(shown, PLAIN))).toBeNull();
    expect(whyUnprintable(renderJson(recoverDocument(shown)))).toBeNull();
  });
});

describe('doctor', () => {
  const doctor = (checks: DoctorReport['checks']): DoctorReport => ({
    format_version: '1.0',
    command: 'doctor',
    checks,
    diagnostics: [],
  });

  it('says what is well and what is not', () => {
    const shown = renderDoctor(
      doctor([
        { name: 'node', status: 'ok', detail: '20.0.0' },
        { name: 'locks', status: 'fail', detail: 'LOCK_STALE: gone.' },
      ]),
      PLAIN,
    );
    expect(shown).toBe('ok      node\n        20.0.0\nfail    locks\n        LOCK_STALE: gone.\n\n1 check failed.\n');
    expect(renderDoctor(doctor([]), PLAIN)).toContain('All is well.');
  });

  it.each(HOSTILE_NAMES)('prints nothing that drives a terminal: %j', (name) => {
    const shown = doctor([{ name, status: 'warn', detail: name }]);
    expect(whyUnprintable(renderDoctor(shown, PLAIN))).toBeNull();
    expect(whyUnprintable(renderJson(doctorDocument(shown)))).toBeNull();
  });
});
