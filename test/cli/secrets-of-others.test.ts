import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInfra } from '../support/cli-host.ts';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HIDDEN = 'CANARY';
const URN = 'aws:s3:bucket:b';

function fact(urn: string, desired: object, more: object = {}) {
  const [provider = '', service = '', resource_type = ''] = urn.split(':');
  const common = { urn, provider, service, resource_type, verb: 'ensure', stack: 'theirs', outcome: 'changed' };
  return { ...common, desired, execution_id: 7, ...more };
}

const event = (index: number) => ({
  event_type: 'call.done',
  execution_id: '7',
  auth_token: `${HIDDEN}${index}`,
  result: {
    data: { provider_fact: fact(URN, { secret_key: `${HIDDEN}${index}` }), authorization: `Bearer ${HIDDEN}${index}` },
  },
});
const ROWS = [
  fact(
    URN,
    { password: `${HIDDEN}1`, nested: [{ client_secret: `${HIDDEN}2` }], text: `{"password":"${HIDDEN}8"}` },
    { token: `${HIDDEN}3` },
  ),
  event(4),
  { global_sequence: 9, execution_id: '7', transaction_id: 't', byte_len: 4, payload: JSON.stringify(event(5)) },
  { note: 'nothing', payload: { inner: JSON.stringify({ deeper: JSON.stringify({ api_key: `${HIDDEN}6` }) }) } },
];
/** Beyond 2^53: it comes out digit by digit all the same. */
const SHOWN = '"execution_id":9223372036854775807';

function folderWithLog(): string {
  const cwd = temporaryFolder();
  const exact = JSON.stringify(ROWS[0]).replace('"execution_id":7', SHOWN);
  writeFileSync(join(cwd, 'log'), `${[exact, ...ROWS.slice(1).map((row) => JSON.stringify(row))].join('\n')}\n`);
  writeFileSync(join(cwd, 'p.yaml'), FOLDER_PLAYBOOK);
  return cwd;
}

describe.each(['human', 'json', 'ndjson', 'markdown'])('in %s', (format) => {
  it.each([
    ['log show', ['log', 'show', '--eventlog', 'log']],
    ['log show, of its end', ['log', 'show', '--eventlog', 'log', '--limit', '3']],
    ['log owned', ['log', 'owned', '--eventlog', 'log']],
    ['why', ['why', URN, '--eventlog', 'log']],
    ['drift', ['drift', '--eventlog', 'log', '--offline']],
    ['orphans', ['orphans', 'p.yaml', '--eventlog', 'log', '--stack', 'theirs', '--offline']],
    ['forget', ['forget', URN, '--eventlog', 'log']],
  ])('%s shows no secret that others put into a log', async (_, argv) => {
    const cwd = folderWithLog();
    const { stdout, stderr } = await runInfra([...argv, '--format', format, '-v'], { cwd });
    expect(stdout + stderr).not.toContain(HIDDEN);
    expect(stdout + stderr).not.toBe('');
  });
});

it('the rest of such a row is shown as it stands', async () => {
  const { stdout } = await runInfra(['log', 'show', '--eventlog', 'log', '--format', 'json'], { cwd: folderWithLog() });
  expect(stdout).toContain('9223372036854775807');
  expect(stdout).toContain('***redacted***');
  expect(JSON.parse(stdout).rows).toHaveLength(4);
  const payload = JSON.parse(JSON.parse(stdout).rows[2].payload);
  expect(payload.result.data.provider_fact.urn).toBe(URN);
});
