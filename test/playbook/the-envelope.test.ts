import { describe, expect, it } from 'vitest';
import { error, errors, load, playbook, projectStep } from './support.ts';

const STEP = projectStep('{ project_id: p }');

describe('the envelope', () => {
  it('takes noetl.io/v2 with its kind, and infra/v1 with or without', async () => {
    const root = (version: string, kind: string) =>
      `apiVersion: ${version}\n${kind}metadata: { name: x }\nworkflow:\n${STEP}`;
    for (const text of [
      root('noetl.io/v2', 'kind: Playbook\n'),
      root('infra/v1', ''),
      root('infra/v1', 'kind: Playbook\n'),
    ]) {
      expect((await load(text)).playbook?.name).toBe('x');
    }
    expect(await error(root('noetl.io/v2', ''))).toContain('MISSING_KEY: A noetl.io/v2 playbook lacks the key "kind"');
    expect(await error(root('noetl.io/v1', 'kind: Playbook\n'))).toContain('1:13 INVALID_VALUE: apiVersion must be');
    expect(await error(root('infra/v1', 'kind: Credential\n'))).toContain('2:7 INVALID_VALUE: kind must be Playbook');
  });

  it('names everything that is missing', async () => {
    const found = await errors('x-only: 1\n');
    expect(found).toHaveLength(3);
    for (const key of ['apiVersion', 'workflow', 'metadata.name']) expect(found.join()).toContain(`"${key}"`);
  });

  it("ignores NoETL's keys with a note, leaves x- alone and refuses the rest with the nearest name", async () => {
    const { playbook: loaded, diagnostics } = await load(
      playbook(STEP, '{}', 'keychain: []\nexecutor: {}\nworkbook: []\nx-mine: { a: 1 }\n'),
    );
    expect(loaded).not.toBeNull();
    expect(diagnostics.map((item) => `${item.code} ${item.severity}`)).toEqual(Array(3).fill('KEY_IGNORED note'));
    expect(await error(playbook(STEP, '{}', 'defualts: {}\n'))).toMatch(/^4:1 UNKNOWN_KEY.*did you mean "defaults"\?/);
  });

  it.each([
    ['', 'FILE_UNREADABLE'],
    ['   \n', 'FILE_UNREADABLE'],
    ['# only a comment\n', 'YAML_INVALID: The file has no content'],
    ['just text', 'INVALID_VALUE: A playbook must be a mapping'],
    ['[]', 'INVALID_VALUE: A playbook must be a mapping, not a list'],
    [new Uint8Array([0x61, 0, 0x62]), 'FILE_UNREADABLE: playbook.yaml is binary'],
    [new Uint8Array([0x61, 0xff, 0xfe]), 'FILE_UNREADABLE: playbook.yaml is not UTF-8'],
  ])('is not %j', async (text, expected) => {
    expect(await error(text as string)).toContain(expected);
  });

  it('may start with a byte order mark; the digest is of the bytes', async () => {
    const bytes = new TextEncoder().encode(`\uFEFF${playbook(STEP)}`);
    const { playbook: loaded } = await load('', { text: bytes });
    expect(loaded?.steps).toHaveLength(1);
    expect(loaded?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['workflow: {}', 'workflow must be a list of steps, not a mapping'],
    ['workflow: []', 'workflow has no steps'],
    ['workflow: [x]', 'A step must be a mapping'],
    ['workflow: [{ desc: x }]', 'A step lacks the key "step"'],
    ['workload: [1]\nworkflow: [{ step: x }]', 'workload must be a mapping, not a list'],
    ['defaults: 1\nworkflow: [{ step: x }]', 'defaults must be a mapping, not 1'],
  ])('with %s is refused', async (part, expected) => {
    expect(await error(`apiVersion: infra/v1\nmetadata: { name: x }\n${part}\n`)).toContain(expected);
  });
});
