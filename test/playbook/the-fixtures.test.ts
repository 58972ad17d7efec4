import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isUnknown } from '../../src/core/value.ts';
import { brief, load } from './support.ts';

async function fixture(name: string) {
  const path = `fixtures/playbooks/${name}/playbook.yaml`;
  return load(await readFile(path, 'utf8'), { path });
}

describe('the fixture', () => {
  it('org-foundation gives 41 steps without a complaint', async () => {
    const { playbook, diagnostics } = await fixture('org-foundation');
    expect(diagnostics.map(brief)).toEqual([]);
    expect(playbook?.steps).toHaveLength(41);
    expect(
      playbook?.steps.every(
        (step) => step.dryRun === false && step.stack === 'foundation' && step.guard?.requireOrg === '123456789012',
      ),
    ).toBe(true);
    expect(playbook?.steps.filter((step) => step.protect === true)).toHaveLength(10);
    expect(playbook?.steps.map((step) => step.address)).toContain('apis[acme-obs-prod][logging.googleapis.com]');
  });

  it('seed-steps gives five, one of which takes a result', async () => {
    const { playbook, diagnostics } = await fixture('seed-steps');
    expect(diagnostics.map(brief)).toEqual([]);
    const project = playbook?.steps[2];
    expect(project?.dependsOn).toEqual(['ensure_folder']);
    expect(isUnknown(project?.input['parent'])).toBe(true);
  });

  it('twelve-mistakes has twelve, each named with its place', async () => {
    const { playbook, diagnostics } = await fixture('twelve-mistakes');
    expect(playbook).toBeNull();
    expect(diagnostics).toHaveLength(12);
    expect(new Set(diagnostics.map((item) => item.source?.line)).size).toBe(12);
    expect(
      diagnostics.every(
        (item) => item.severity === 'error' && item.source?.file.endsWith('twelve-mistakes/playbook.yaml'),
      ),
    ).toBe(true);
  });
});
