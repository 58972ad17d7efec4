import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runInfra } from '../support/cli-host.ts';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let cwd = '';
let digest = '';
beforeEach(async () => {
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
  digest = JSON.parse((await runInfra(['plan', 'p.yaml', '--emulator', '--format', 'json'], { cwd })).stdout).digest;
});

const stored = () => join(cwd, '.infra/emulator/plans', `${digest}.json`);

describe.each([
  ['garbage', () => 'no JSON at all'],
  ['an empty file', () => ''],
  ['another playbook', (text: string) => text.replace('00-shared', 'shared').replace('name: shared', 'name: other')],
  ['a broken playbook', (text: string) => text.replace('apiVersion: infra/v1', 'apiVersion: [')],
])('a plan file that holds %s', (_, tamper) => {
  beforeEach(() => writeFileSync(stored(), tamper(readFileSync(stored(), 'utf8'))));

  it('is refused as another plan', async () => {
    const ended = await runInfra(['apply', '--emulator', '--confirm', digest, '--format', 'json'], { cwd });
    expect(ended.code).toBe(5);
    expect(JSON.parse(ended.stdout).diagnostics[0]).toMatchObject({ code: 'DIGEST_STALE' });
    expect(ended.stdout).toContain('othing was sent.');
  });

  it('is ignored beside the playbook', async () => {
    expect(await runInfra(['apply', 'p.yaml', '--emulator', '--confirm', digest], { cwd })).toMatchObject({ code: 0 });
  });
});

describe('a credential that is not among the configured ones', () => {
  const playbook = FOLDER_PLAYBOOK.replace('type: gcp_adc', 'type: gcp_adc, credential: stagin');
  const env = { METADATA_SERVER_DETECTION: 'none', XDG_CONFIG_HOME: '' };

  function configure(text: string): void {
    env.XDG_CONFIG_HOME = join(cwd, 'config');
    mkdirSync(join(cwd, 'config/infra'), { recursive: true, mode: 0o700 });
    writeFileSync(join(cwd, 'config/infra/config.yaml'), text, { mode: 0o600 });
    writeFileSync(join(cwd, 'p.yaml'), playbook);
  }

  it.each([
    [['plan', 'p.yaml']],
    [['plan', 'p.yaml', '--offline']],
    [['exec', 'p.yaml']],
    [['apply', 'p.yaml', '--confirm', '0'.repeat(64)]],
  ])('is an error with its place and the nearest name (%j)', async (argv) => {
    configure('credentials: { staging: { type: gcp_adc } }\n');
    const ended = await runInfra([...argv, '--format', 'json'], { cwd, env });
    expect(ended).toMatchObject({ code: 3 });
    expect(JSON.parse(ended.stdout).diagnostics).toMatchObject([
      {
        code: 'UNKNOWN_CREDENTIAL',
        severity: 'error',
        address: 'shared',
        hint: 'did you mean "staging"?',
        source: { file: 'p.yaml' },
      },
    ]);
  });

  it('is a note, told once, where nothing is configured', async () => {
    configure('');
    const planned = await runInfra(['plan', 'p.yaml', '--format', 'json'], { cwd, env });
    expect(planned).toMatchObject({ code: 0 });
    const notes = JSON.parse(planned.stdout).diagnostics.filter(
      ({ code }: { readonly code: string }) => code === 'CREDENTIAL_NAME_UNUSED',
    );
    expect(notes).toMatchObject([{ severity: 'note', source: { file: 'p.yaml' } }]);
    expect(await runInfra(['plan', 'p.yaml', '--offline'], { cwd, env })).toMatchObject({ code: 0 });
  });
});
