import { afterEach, expect, it } from 'vitest';
import { CANARY, filesBelow, leaksOf } from '../support/safety/canary.ts';
import { Site } from '../support/safety/site.ts';

const open: Site[] = [];
afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

/** A token that stands in the workload, and is used as a token and in something else. */
function playbook(url: string, { desc, name }: { readonly desc: string; readonly name: string }): string {
  return `apiVersion: infra/v1
metadata: { name: elsewhere }
workload: { secret_value: ${JSON.stringify(CANARY)} }
defaults:
  stack: elsewhere
  reconcile: enforce
  endpoint: ${url}
  auth: { type: bearer, token: "{{ workload.secret_value }}" }
workflow:
  - step: shared
    desc: ${JSON.stringify(desc)}
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, input: { parent: organizations/123456789012, display_name: ${JSON.stringify(name)} } }
`;
}

const FORMATS = [['-v'], ['--format', 'json'], ['--format', 'ndjson', '--log-format', 'json']];

/** The same under a variable of the caller's, with the token written out elsewhere. */
function variablePlaybook(url: string, written: Parameters<typeof playbook>[1]): string {
  return playbook(url, written)
    .replace('token: "{{ workload.secret_value }}"', 'token_env: INFRA_CANARY')
    .replace(/^workload: .*\n/m, '');
}

async function run(written: Parameters<typeof playbook>[1], commands: readonly (readonly string[])[]) {
  const site = await Site.open({ playbook: (url) => playbook(url, written) });
  open.push(site);
  const texts: Record<string, string> = {};
  const codes: (number | null)[] = [];
  for (const argv of commands) {
    const ended = await site.runHere(argv, {});
    codes.push(ended.code);
    texts[`stdout of ${argv.join(' ')}`] = ended.stdout;
    texts[`stderr of ${argv.join(' ')}`] = ended.stderr;
  }
  Object.assign(texts, filesBelow(site.folder, [`${site.folder}/foundation.yaml`]));
  texts['what was sent'] = JSON.stringify(site.emulator.requests);
  return { codes, texts, leaks: leaksOf([CANARY], texts) };
}

it.each(FORMATS)('a token in a description is shown nowhere (%s %s)', async (...flags) => {
  const { codes, texts, leaks } = await run({ desc: 'made with {{ workload.secret_value }}', name: 'shared' }, [
    ['plan', 'foundation.yaml', ...flags],
    ['apply', 'foundation.yaml', '--confirm', 'a'.repeat(64), ...flags],
    ['exec', 'foundation.yaml', ...flags.filter((flag) => flag !== '-v')],
  ]);
  expect(codes).toEqual([0, 5, 0]);
  expect(leaks).toEqual([]);
  expect(Object.values(texts).join('')).toContain('made with ***redacted***');
});

it.each(FORMATS)('a token in an input is refused and shown nowhere (%s %s)', async (...flags) => {
  const { codes, leaks } = await run({ desc: 'd', name: 'name {{ workload.secret_value }}' }, [
    ['plan', 'foundation.yaml', ...flags],
    ['apply', 'foundation.yaml', '--confirm', 'a'.repeat(64), ...flags],
    ['exec', 'foundation.yaml', ...flags.filter((flag) => flag !== '-v')],
  ]);
  expect(codes).toEqual([3, 3, 3]);
  expect(leaks).toEqual([]);
});

it('a token in a template that is rendered while the run goes on is sent and shown nowhere', async () => {
  const late = "{{ (steps.first.resource.name ~ workload.secret_value) | replace('organizations', '') }}";
  const site = await Site.open({
    playbook: (url) =>
      playbook(url, { desc: 'd', name: late }).replace(
        'workflow:\n',
        'workflow:\n  - step: first\n    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, input: { parent: organizations/123456789012, display_name: first } }\n',
      ),
  });
  open.push(site);
  const ended = await site.runHere(['exec', 'foundation.yaml'], {});
  const texts = { ...ended, code: '', signal: '', sent: JSON.stringify(site.emulator.requests) };
  expect(leaksOf([CANARY], texts)).toEqual([]);
});

it.each([
  ['an input', { desc: 'd', name: `name ${CANARY}` }, [3, 3, 3]],
  ['a description', { desc: `made with ${CANARY}`, name: 'shared' }, [0, 5, 0]],
])(
  'the token of a variable that also stands in %s is shown, kept and sent nowhere',
  async (_where, written, wanted) => {
    const site = await Site.open({ playbook: (url) => variablePlaybook(url, written) });
    open.push(site);
    const texts: Record<string, string> = {};
    const codes: (number | null)[] = [];
    for (const argv of [
      ['plan', 'foundation.yaml', '--format', 'json'],
      ['apply', 'foundation.yaml', '--confirm', 'a'.repeat(64)],
      ['exec', 'foundation.yaml'],
    ]) {
      const ended = await site.runHere(argv, { INFRA_CANARY: CANARY });
      codes.push(ended.code);
      texts[`stdout of ${argv[0]}`] = ended.stdout;
      texts[`stderr of ${argv[0]}`] = ended.stderr;
    }
    Object.assign(texts, filesBelow(site.folder, [`${site.folder}/foundation.yaml`]));
    texts['what was sent'] = JSON.stringify(site.emulator.requests);
    expect(codes).toEqual(wanted);
    expect(leaksOf([CANARY], texts)).toEqual([]);
  },
);
