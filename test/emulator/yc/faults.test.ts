import { once } from 'node:events';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { FakeYcFailureName, FakeYcFaultAction } from '../../../src/emulator/yc/options.ts';
import { type FakeYc, fakeYc, named, SUFFIX } from './support.ts';

async function broken(action: FakeYcFaultAction, match = 'vpc network create'): Promise<FakeYc> {
  const fake = await fakeYc();
  fake.control.addFaults({ match, action });
  return fake;
}

const networks = ({ control }: FakeYc) => Object.keys(control.state().resources.network).length;

test.each([
  [{ kind: 'exit', when: 'before', stderr: 'ERROR: Unknown error\n' }, 0, 'ERROR: Unknown error\n'],
  [{ kind: 'exit', when: 'after' }, 1, ''],
] as const)('An exit with 1 before or after the change: %j', async (action, made, stderr) => {
  const fake = await broken(action);
  expect(await fake.yc('vpc network create')).toMatchObject({ exitCode: 1, stdout: '', stderr });
  expect(networks(fake)).toBe(made);
});

test.each([
  ['two_documents', /^(\{[^}]*\}\n\n)\1$/],
  ['bom', /^\uFEFF\{/],
  ['truncated', /^\{[^}]*$/],
  ['empty', /^$/],
  ['garbage', /html/],
  ['crlf', /^\{\r\n/],
] as const)('Done, but what is said is %s', async (as, pattern) => {
  const fake = await broken({ kind: 'reshape', as });
  const ran = await fake.quick('vpc network create --name net');
  expect(ran.exitCode).toBe(0);
  expect(ran.stdout).toMatch(pattern);
  expect(networks(fake)).toBe(1);
});

test('Nothing done, and garbage with exit 0', async () => {
  const fake = await broken({ kind: 'exit', code: 0, stdout: 'fine\n' });
  expect(await fake.yc('vpc network create')).toMatchObject({ exitCode: 0, stdout: 'fine\n' });
  expect(networks(fake)).toBe(0);
});

test.each([
  ['SIGKILL', 'before', 0],
  ['SIGKILL', 'after', 1],
  ['SIGTERM', 'before', 0],
] as const)('Dead by %s %s the change', async (signal, when, made) => {
  const fake = await broken({ kind: 'die', when, signal });
  expect(await fake.yc('vpc network create')).toMatchObject({ exitCode: undefined, signal, stdout: '' });
  expect(networks(fake)).toBe(made);
  expect(fake.control.commands()).toMatchObject([{ exitCode: undefined }]);
});

test('A hang ends by SIGTERM', async () => {
  const fake = await broken({ kind: 'hang', stdout: '{' });
  const child = execa(fake.path, ['vpc', 'network', 'create'], { reject: false, stdin: 'ignore' });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await child).toMatchObject({ signal: 'SIGTERM', stdout: '{' });
  expect(networks(fake)).toBe(0);
});

test('A stubborn hang ends by SIGKILL alone, and its child holds the streams until its group is killed', async () => {
  const fake = await broken({ kind: 'hang', when: 'after', ignoreSigterm: true, grandchild: true, stdout: '{' });
  const argv = ['vpc', 'network', 'create', ...SUFFIX];
  const child = execa(fake.path, argv, { reject: false, stdin: 'ignore', detached: true });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  const { pid = 0 } = child;
  expect(process.kill(pid, 0)).toBe(true);
  process.kill(-pid, 'SIGKILL');
  expect(await child).toMatchObject({ signal: 'SIGKILL', stdout: '{' });
  expect(networks(fake)).toBe(1);
});

test('A flood is as long as asked', async () => {
  const fake = await broken({ kind: 'flood', bytes: 3_000_001 });
  const { stdout, exitCode } = await fake.quick('vpc network create');
  expect([stdout.length, exitCode]).toEqual([3_000_001, 0]);
});

test('An answer may show another folder or label, in a list too', async () => {
  const fake = await broken(
    { kind: 'patch', set: { folder_id: 'b1gother', labels: { a: '2', b: null } } },
    'vpc network',
  );
  const { json } = await fake.quick('vpc network create', ...named('net', { a: '1', b: '1', c: '1' }));
  expect(json).toMatchObject({ folder_id: 'b1gother', labels: { a: '2', c: '1' } });
  expect(json['labels']).not.toHaveProperty('b');
  expect((await fake.quick('vpc network list')).json).toMatchObject([{ folder_id: 'b1gother' }]);
});

test('A secret is said beside the answer and beside a failure, where asked', async () => {
  const fake = await broken({ kind: 'echo', text: 'token t1.secret', stream: 'stderr' }, 'vpc');
  fake.control.addFaults({ match: 'vpc network get', action: { kind: 'echo', text: 't1.other', stream: 'stdout' } });
  expect((await fake.quick('vpc network create')).stderr).toBe('token t1.secret\n');
  const failed = await fake.quick('vpc network get nope');
  expect(failed.stdout).toBe('t1.other\n');
  expect(failed.stderr).toMatch(/^token t1\.secret\nERROR: /);
});

const TEXTS: Readonly<Record<FakeYcFailureName, RegExp>> = {
  address_in_use: /^ERROR: rpc error: code = FailedPrecondition desc = Address in use\n\n\nserver-request-id/,
  deadline: /code = DeadlineExceeded desc = context deadline exceeded\n/,
  missing_rule_port:
    /^ERROR: execute command: run command: for rule spec port or \[from\/to\]-port fields is required\n$/,
  oauth_end_of_life:
    /code = Unauthenticated desc = iam token create failed: rpc error: code = InvalidArgument desc = OAuth token/,
  operation_failed: /^ERROR: operation \(id=enp\w{17}\) failed: rpc error: code = Internal desc = /,
  permission_denied: /code = PermissionDenied desc = Permission denied\n/,
  quota: /code = ResourceExhausted desc = Quota limit vpc\.networks\.count exceeded\n/,
  throttled: /code = ResourceExhausted desc = Request rate/,
  token_invalid: /code = Unauthenticated desc = The token is invalid\n/,
  unauthenticated:
    /code = Unauthenticated desc = iam token create failed: .*\n\n\nclient-trace-id: \S+\n\nUse client-trace-id for/,
  unavailable: /code = Unavailable desc = connection error/,
  unknown_error: /^ERROR: Unknown error\n$/,
  unknown_flag: /^ERROR: execute command: unknown flag: --name\n$/,
};

test.each(Object.entries(TEXTS))('The failure %s has its text, exit 1 and no answer', async (name, text) => {
  const failure = Object.keys(TEXTS).find((each): each is FakeYcFailureName => each === name) ?? 'quota';
  const fake = await broken({ kind: 'fail', failure });
  const ran = await fake.quick('vpc network create --name net');
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr).toMatch(text);
  expect(networks(fake)).toBe(0);
});

test('Any refusal of the server can be had, and after the change too', async () => {
  const failure = { code: 'Aborted', message: 'try again' } as const;
  const fake = await broken({ kind: 'fail', when: 'after', failure });
  expect((await fake.quick('vpc network create')).stderr).toContain('rpc error: code = Aborted desc = try again\n');
  expect(networks(fake)).toBe(1);
});

test('The operation that failed can be looked up', async () => {
  const fake = await broken({ kind: 'fail', failure: 'operation_failed' });
  const { stderr } = await fake.quick('vpc network create');
  const id = /id=(\w+)/.exec(stderr)?.[1] ?? '';
  expect((await fake.quick('operation get', id)).json).toMatchObject({ done: true, error: { code: 13 } });
});

test('What was made can stay hidden from reads for a while', async () => {
  const fake = await broken({ kind: 'hide', reads: 2 });
  fake.control.addFaults({ match: 'vpc network create', action: { kind: 'exit', when: 'after' } });
  expect((await fake.quick('vpc network create --name net')).exitCode).toBe(1);
  expect((await fake.quick('vpc network list')).stdout).toBe('[]\n\n');
  expect((await fake.quick('vpc network get net')).exitCode).toBe(1);
  expect((await fake.quick('vpc network get net')).exitCode).toBe(0);
  fake.control.clearFaults();
  expect((await fake.quick('vpc network create --name net')).stderr).toContain('AlreadyExists');
});

test('Faults count what matches by words and by arguments', async () => {
  const fake = await fakeYc();
  const { addFaults } = fake.control;
  addFaults({ match: 'vpc network list', nth: 2, action: { kind: 'exit', code: 2 } });
  addFaults({ match: 'vpc network get', times: 2, action: { kind: 'exit', code: 3 } });
  addFaults({ match: 'vpc net', action: { kind: 'exit', code: 4 } });
  addFaults({ argv: '--name special', action: { kind: 'exit', code: 5 } });
  addFaults({ match: 'version', action: { kind: 'exit', code: 6 } });
  const codes: (number | undefined)[] = [];
  for (const words of [
    'network list',
    'network list',
    'network list',
    'network get x',
    'network get x',
    'network get x',
  ])
    codes.push((await fake.quick(`vpc ${words}`)).exitCode);
  expect(codes).toEqual([0, 2, 0, 3, 3, 1]);
  expect((await fake.quick('compute disk list --name special')).exitCode).toBe(5);
  expect((await fake.run(['--version'])).exitCode).toBe(6);
});

test('A delay comes beside any other fault', async () => {
  const fake = await broken({ kind: 'delay', ms: 50 });
  fake.control.addFaults({ match: 'vpc network create', action: { kind: 'exit', code: 9 } });
  const start = performance.now();
  expect((await fake.yc('vpc network create')).exitCode).toBe(9);
  expect(performance.now() - start).toBeGreaterThanOrEqual(50);
});
