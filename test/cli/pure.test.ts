import { describe, expect, it } from 'vitest';
import { applyCommandFor } from '../../src/cli/apply-command.ts';
import { parseDuration } from '../../src/cli/duration.ts';
import { eventlogSource } from '../../src/cli/eventlog-url.ts';
import { listenForInterrupts } from '../../src/cli/signals.ts';
import { styleOf } from '../../src/cli/terminal.ts';
import type { PlanSource } from '../../src/engine/stored-plan.ts';
import { fakeHost } from '../support/cli-host.ts';

describe('durations', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
    ['45', 45_000],
    ['0s', 0],
  ])('%s', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each(['', 's', '-1s', '1 s', '1w', '1h30m', '1e3s', '9999d', 'Infinity'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});

describe('an event log', () => {
  it.each([
    ['log.jsonl', '/base/log.jsonl'],
    ['/abs/log.jsonl', '/abs/log.jsonl'],
    ['file:log.jsonl', '/base/log.jsonl'],
    ['file:///abs/a%20b.jsonl', '/abs/a b.jsonl'],
  ])('%s is a file', (url, expected) => {
    expect(eventlogSource(url, '/base', true)).toEqual({ kind: 'file', path: expected });
  });

  it.each([
    ['-', true, 'LOG_READ_ONLY'],
    ['https://noetl.example', true, 'LOG_READ_ONLY'],
    ['postgres://user:secret@db/infra', true, 'NOT_AVAILABLE'],
    ['s3://bucket/log', true, 'USAGE'],
    ['', true, 'USAGE'],
    ['file://elsewhere/log', true, 'USAGE'],
  ])('%s (to write: %s) is refused', (url, mustWrite, code) => {
    expect(() => eventlogSource(url, '/base', mustWrite)).toThrow(new RegExp(`^${code}: (?!.*secret)`));
  });
});

describe('an event log that can only be read', () => {
  it.each([
    ['-', { kind: 'stdin' }],
    ['https://noetl.example/x?tenant=a', { kind: 'server', url: 'https://noetl.example/x?tenant=a' }],
  ])('%s is taken by verbs that only read', (url, expected) => {
    expect(eventlogSource(url, '/base', false)).toEqual(expected);
  });
});

describe('interrupts', () => {
  function listen(settles: boolean, waiting: readonly string[] = []) {
    const host = fakeHost();
    return { host, interrupts: listenForInterrupts(host, settles, () => waiting) };
  }

  it('stop first, say what is waited for, then give up, then quit', () => {
    const { host, interrupts } = listen(true, ['a', 'b']);
    expect(interrupts.received()).toBeNull();
    host.send('SIGTERM');
    expect([interrupts.stop.aborted, interrupts.abort.aborted]).toEqual([true, false]);
    expect(host.written.stderr).toContain('waiting for a, b.');
    host.send('SIGINT');
    expect(interrupts.abort.aborted).toBe(true);
    expect(host.written.stderr).toContain('uncertain');
    expect(host.quits).toEqual([]);
    host.send('SIGINT');
    expect(host.quits).toEqual([143]);
    expect(interrupts.received()).toBe('SIGTERM');
    interrupts.dispose();
  });

  it('count what is waited for beyond a few', () => {
    const { host, interrupts } = listen(true, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    host.send('SIGINT');
    expect(host.written.stderr).toContain('a, b, c, d, e and 2 more');
    interrupts.dispose();
  });

  it('end a run at once that only reads', () => {
    const { host } = listen(false);
    host.send('SIGINT');
    expect(host.quits).toEqual([130]);
  });

  it('are no longer heard after the run', () => {
    const { host, interrupts } = listen(true);
    interrupts.dispose();
    host.send('SIGINT');
    expect(interrupts.received()).toBeNull();
  });
});

describe('the command that applies a plan', () => {
  const flags = {
    sets: ['a=b c'],
    workload: null,
    stack: 'prod',
    eventlog: null,
    readEventlogs: [],
    credential: null,
    endpoint: null,
    reconcile: null,
    targets: ['x[1]'],
    excludes: [],
    offline: false,
    emulator: true,
    config: null,
    parallelism: null,
    timeoutMs: null,
    failFast: false,
    lockTimeoutMs: 0,
    actor: null,
    allowEndpoints: [],
    allowSelfLockout: false,
    takeOver: null,
    guardOrg: null,
    includeFound: false,
    skipInvalid: false,
    rollback: true,
    yc: null,
    allowPaths: [],
  } as const;
  const source = { path: '-p.yaml', fullPath: '/x/-p.yaml', text: 'text', sets: [], workload: null };

  const context = (change: Partial<PlanSource> = {}, file: string | null = null) => ({
    flags,
    host: { cwd: '/repo/deep' },
    project: { source: { ...source, ...change }, config: { file } },
  });

  it('is short where the plan is kept and found', () => {
    expect(applyCommandFor('apply', context(), true)).toBe('infra apply --emulator');
    expect(applyCommandFor('apply', context({}, '/repo/infra.yaml'), true)).toBe('infra apply --emulator');
  });

  it('is whole where it is not', () => {
    const whole = "infra apply ./-p.yaml --set 'a=b c' --stack prod --target 'x[1]' --emulator";
    expect(applyCommandFor('apply', context(), false)).toBe(whole);
    expect(applyCommandFor('apply', context({}, '/repo/deeper/infra.yaml'), true)).toBe(whole);
  });

  it('leaves values out where a token is among them', () => {
    expect(applyCommandFor('apply', context({ text: null }), true)).toContain('--set a=...');
  });
});

it('narrow terminals still get lines', () => {
  const style = (columns: number) => styleOf({ isTTY: true, columns, write: () => {} }, {}, { color: true });
  expect(style(10)).toEqual({ color: true, width: 40 });
  expect(style(200)).toEqual({ color: true, width: 200 });
});
