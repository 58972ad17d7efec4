import { expect, test } from 'vitest';
import { planDigest, stepDigest } from '../../src/core/digest.ts';
import { sha256Hex } from '../../src/core/json.ts';

const input = {
  verb: 'apply',
  target: 'cloud',
  stacks: ['prod'],
  steps: [
    { address: 'a', change: 'create' },
    { address: 'b', change: 'none' },
  ],
};

test("a plan's digest is the SHA-256 of its canonical JSON", () => {
  const text =
    '{"stacks":["prod"],"steps":[{"address":"a","change":"create"},{"address":"b","change":"none"}],"target":"cloud","v":1,"verb":"apply"}';
  expect(planDigest(input)).toBe(sha256Hex(text));
});

test('key order does not count, the order of steps and every value do', () => {
  const { steps, ...rest } = input;
  expect(planDigest({ steps: steps.map(({ address, change }) => ({ change, address })), ...rest })).toBe(
    planDigest(input),
  );
  for (const other of [
    { ...input, steps: steps.toReversed() },
    { ...input, target: 'emulator' },
    { ...input, verb: 'destroy' },
    { ...input, stacks: [] },
  ]) {
    expect(planDigest(other)).not.toBe(planDigest(input));
  }
});

test("a step's digest changes with everything that was seen of it", () => {
  const step = {
    action: 'x.delete',
    urn: 'u',
    change: 'delete',
    present: true,
    id: 'projects/1',
    etag: 'e',
    state: 'ACTIVE',
    actual: {},
    requests: [],
  } as const;
  const others = [
    { etag: 'f' },
    { state: null },
    { present: 'unknown' as const },
    { id: null },
    { actual: null },
    { requests: [1] },
    { urn: null },
    { change: 'adopt' },
  ];
  const digests = [step, ...others.map((fields) => ({ ...step, ...fields }))].map(stepDigest);
  expect(new Set(digests).size).toBe(digests.length);
  expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
});
