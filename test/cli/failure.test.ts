import { describe, expect, it } from 'vitest';
import { reportFailure } from '../../src/cli/failure.ts';
import { diagnostic } from '../../src/core/codes.ts';
import { DiagnosticError } from '../../src/core/diagnostics.ts';
import { fakeHost } from '../support/cli-host.ts';

async function report(argv: readonly string[], error: unknown) {
  const host = fakeHost();
  const code = await reportFailure(host, argv, 'plan', error);
  return { code, ...host.written };
}

describe('an exception that nobody expected', () => {
  const bug = new TypeError('boom\nand more');

  it('is one line, without a stack', async () => {
    const { code, stdout, stderr } = await report(['plan'], bug);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^infra: a bug in infra: TypeError: boom\\nand more\. Please report it .*\n$/);
  });

  it('has its stack with -v', async () => {
    const { code, stderr } = await report(['plan', '-v'], bug);
    expect(code).toBe(1);
    expect(stderr).toContain('    at ');
  });

  it('is a document where one is asked for', async () => {
    const { code, stdout } = await report(['plan', '--format', 'json'], bug);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      command: 'plan',
      error: true,
      diagnostics: [{ code: 'BUG', severity: 'error' }],
    });
  });

  it('may be anything that can be thrown', async () => {
    expect((await report([], 'a text')).stderr).toContain('a text');
    expect((await report([], undefined)).code).toBe(1);
  });
});

describe('a failure that was expected', () => {
  const error = new DiagnosticError([diagnostic('USAGE', 'x'), diagnostic('LOCK_HELD', 'y')]);

  it('is told on stderr and ends by what is worst', async () => {
    const { code, stdout, stderr } = await report(['plan'], error);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toContain('LOCK_HELD');
  });

  it('is lines of JSON where those are asked for', async () => {
    const { stdout } = await report(['plan', '--format=ndjson'], error);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).diagnostic.code),
    ).toEqual(['USAGE', 'LOCK_HELD']);
  });
});
