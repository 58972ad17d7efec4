import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { composeReaders } from '../../src/cli/composition.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { readOutputFlags } from '../../src/cli/flags.ts';
import { openOutput } from '../../src/cli/output.ts';
import { openPlaybook } from '../../src/cli/project.ts';
import { readWorkflowFlags } from '../../src/cli/workflow-flags.ts';
import type { Project, WorkflowCall } from '../../src/cli/workflow-types.ts';
import { fakeHost } from '../support/cli-host.ts';
import { ROOT } from '../support/cli-process.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A repository of its own, with the gateway in a folder and an executable in another. */
function repository(): { readonly playbook: string; readonly yc: string } {
  const folder = mkdtempSync(join(tmpdir(), 'infra-several-'));
  folders.push(folder);
  for (const name of ['.git', 'infra', 'tools']) mkdirSync(join(folder, name));
  cpSync(join(ROOT, 'fixtures/playbooks/yandex-gateway/playbook.yaml'), join(folder, 'infra/playbook.yaml'));
  const yc = join(folder, 'tools/yc');
  writeFileSync(yc, '#!/bin/sh\nexit 1\n');
  chmodSync(yc, 0o700);
  return { playbook: join(folder, 'infra/playbook.yaml'), yc };
}

async function callWith(yc: string): Promise<WorkflowCall> {
  const host = fakeHost({ cwd: '/' });
  const invocation = { operands: [], options: {}, runOther: async () => EXIT.done };
  const output = await openOutput(host, readOutputFlags({}), 'orphans');
  const deadline = new AbortController().signal;
  return { host, command: 'orphans', invocation, flags: readWorkflowFlags({ yc }), output, deadline };
}

it('a yc in the repository of any of the playbooks is refused, not only of the first', async () => {
  const [one, other] = [repository(), repository()];
  const call = await callWith(other.yc);
  const open = (path: string): Promise<Project> => openPlaybook(call, path, 'trusted');
  const [first, second] = [await open(one.playbook), await open(other.playbook)];
  const auth = { type: 'yc_profile', credential: null, scopes: [], token: null, tokenEnv: null };
  const request = { provider: 'yandex', auth, endpoint: null, settings: { folder_id: 'b1gexamplefolder0001' } };
  const opened = async (projects: readonly Project[]) => {
    const readers = composeReaders(call, first, projects, new AbortController().signal);
    const result = await readers.open(request);
    await readers.close();
    return result;
  };
  expect(await opened([first])).toMatchObject({ kind: 'open' });
  expect(await opened([first, second])).toMatchObject({ kind: 'unusable', why: { code: 'UNSAFE_PATH' } });
});
