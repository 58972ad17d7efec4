import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FOLDER_PLAYBOOK } from '../support/cli-playbooks.ts';
import { ensureBuilt, infra, ROOT } from '../support/cli-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(ensureBuilt);

const DIGEST = 'ab'.repeat(32);
const KEYS = ['code', 'severity', 'summary', 'detail', 'address', 'urn', 'source', 'hint', 'operation', 'retryable'];

describe('a command line that is not valid ends with 3', () => {
  it.each([
    ['an unknown command', ['pla', 'x.yaml'], 'did you mean plan?'],
    ['an unknown flag', ['plan', 'x.yaml', '--offlin'], 'did you mean --offline?'],
    ['a flag of another command', ['plan', 'x.yaml', '--max-age', '1h'], '--max-age has no meaning for infra plan'],
    ['a missing operand', ['plan'], "Missing required argument 'playbook'"],
    ['too many operands', ['plan', 'a.yaml', 'b.yaml'], 'Too many arguments'],
    ['an empty stack', ['drift', '--stack', ''], 'Name a stack, or leave --stack out.'],
    ['a flag without its value', ['plan', 'x.yaml', '--stack'], 'argument missing'],
    [
      'a mode that there is not',
      ['plan', 'x.yaml', '--reconcile', 'enforcing'],
      'Allowed choices are report, enforce, adopt',
    ],
    ['a number out of bounds', ['plan', 'x.yaml', '--parallelism', '0'], 'from 1 to 1000'],
    ['a duration that is none', ['plan', 'x.yaml', '--timeout', 'soon'], 'such as 30s'],
    ['a short digest', ['apply', 'x.yaml', '--confirm', 'abc'], '64 hex digits'],
    ['a digest with a stranger in it', ['apply', '--confirm', `${DIGEST.slice(1)}g`], '64 hex digits'],
    ['an unknown format', ['plan', 'x.yaml', '--format', 'jsno'], 'did you mean "json"?'],
    ['a format of later', ['plan', 'x.yaml', '--format', 'sarif'], 'not in this version'],
    ['a flag of later', ['plan', 'x.yaml', '--preflight'], 'NOT_AVAILABLE'],
    ['a flag of later with a value', ['plan', 'x.yaml', '--record=r.json'], '--record is not in this version'],
    ['a command of later', ['graph', 'x.yaml'], 'infra graph is not in this version'],
    ['an unknown code', ['explain', 'DIGEST_STAEL'], 'did you mean "DIGEST_STALE"?'],
    ['a result file in no folder', ['plan', 'x.yaml', '--out', 'no/where.json'], '--out no/where.json'],
    ['an apply offline', ['apply', 'x.yaml', '--confirm', DIGEST, '--offline'], '--offline'],
    ['an unknown lock', ['unlock', '0123456789ab'], 'nothing is locked'],
  ])('%s', async (_name, argv, expected) => {
    const { code, stdout, stderr } = await infra(argv);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr.replace(/\s+/g, ' ')).toContain(expected);
    expect(stderr).not.toContain('    at ');
  });

  it.each([['--format', 'json'], ['--format=json']])('as JSON where that is asked for (%s %s)', async (...format) => {
    const { code, stdout } = await infra([
      'plan',
      'x.yaml',
      '--offlin',
      ...format.filter((word) => word !== undefined),
    ]);
    const document = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(document).toMatchObject({ format_version: '1.0', command: 'plan', error: true });
    expect(Object.keys(document.diagnostics[0])).toEqual(KEYS);
  });

  it('as lines of JSON where those are', async () => {
    const { stdout } = await infra(['plan', 'x.yaml', '--format', 'ndjson']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['version', 'diagnostic']);
    for (const line of lines)
      expect(line).toMatchObject({ '@timestamp': expect.any(String), '@level': expect.any(String) });
  });
});

describe('a log that can not be used', () => {
  it.each([
    [
      'a server, to write',
      ['apply', 'x.yaml', '--confirm', DIGEST, '--eventlog', 'https://noetl.example/log'],
      'LOG_READ_ONLY',
    ],
    ['stdin, to write', ['apply', 'x.yaml', '--confirm', DIGEST, '--eventlog', '-'], 'LOG_READ_ONLY'],
    ['PostgreSQL', ['unlock', '0123456789ab', '--eventlog', 'postgres://db/infra'], 'NOT_AVAILABLE'],
    ['another scheme', ['unlock', '0123456789ab', '--eventlog', 'ftp://db/infra'], 'USAGE'],
  ])('%s ends with 3', async (_name, argv, code) => {
    const ended = await infra(argv, { env: { INFRA_EVENTLOG: '' } });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(
      new RegExp(code === 'USAGE' || argv[0] === 'unlock' ? code : `${code}|FILE_UNREADABLE`),
    );
  });
});

it('explains a code', async () => {
  const text = await infra(['explain', 'lock_held']);
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toContain('Exit code 5.');
  const { stdout } = await infra(['explain', 'KEY_IGNORED', '--format', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({
    format_version: '1.0',
    command: 'explain',
    severity: 'note',
    exit_code: null,
  });
});

it('a workload comes from a pipe that the shell has opened', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'p.yaml'), FOLDER_PLAYBOOK);
  const script = 'echo "name: piped" | "$0" "$1" plan p.yaml --offline --format json --workload /dev/stdin';
  const argv = ['-c', script, process.execPath, join(ROOT, 'bin/infra.js')];
  const { status, stdout } = spawnSync('sh', argv, { cwd: folder, encoding: 'utf8' });
  expect(status).toBe(0);
  expect(JSON.parse(stdout).steps[0].input.display_name).toBe('piped');
});

it('a current folder that is gone is told as such, without a trace of the program', () => {
  const folder = temporaryFolder();
  const script = 'rmdir "$PWD" && "$0" "$1" plan p.yaml --offline';
  const argv = ['-c', script, process.execPath, join(ROOT, 'bin/infra.js')];
  const { status, stderr } = spawnSync('sh', argv, { cwd: folder, encoding: 'utf8' });
  expect(status).toBe(3);
  expect(stderr).toContain('FILE_UNREADABLE');
  expect(stderr).not.toContain('    at ');
});
