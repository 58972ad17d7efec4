import { RpcFailure } from '../cli/failures.ts';
import { reportFailure } from '../cli/report.ts';
import type { Answer, FakeYcHost } from '../host.ts';
import type { FakeYcFaultTime } from '../options.ts';
import { transact } from '../world/store.ts';
import { World } from '../world/world.ts';
import type { DueFaults, MainAction } from './due.ts';
import { failureText } from './texts.ts';

const CHUNK = 1 << 20;

export interface StrikeContext {
  readonly host: FakeYcHost;
  readonly stateFile: string;
  readonly words: string;
  readonly due: DueFaults;
}

/** Brings down what is due at this time; answers what is said instead of the answer. */
export async function strike(when: FakeYcFaultTime, context: StrikeContext): Promise<Answer | undefined> {
  const { due, host } = context;
  for (const action of due.beside)
    if (action.kind === 'delay' && (action.when ?? 'before') === when) await host.wait(action.ms);
  const { main } = due;
  return main === undefined || timeOf(main) !== when ? undefined : strikeMain(main, context);
}

function timeOf(action: MainAction): FakeYcFaultTime {
  return action.kind === 'flood' || action.kind === 'reshape' ? 'after' : (action.when ?? 'before');
}

async function strikeMain(action: MainAction, context: StrikeContext): Promise<Answer | undefined> {
  const { host } = context;
  switch (action.kind) {
    case 'hang':
      await host.write('stdout', action.stdout ?? '');
      return host.hang({ ignoreSigterm: action.ignoreSigterm ?? false, grandchild: action.grandchild ?? false });
    case 'die':
      return host.die(action.signal ?? 'SIGKILL');
    case 'exit':
      return { stdout: action.stdout ?? '', stderr: action.stderr ?? '', exitCode: action.code ?? 1 };
    case 'fail':
      return { stdout: '', stderr: failed(action.failure, context), exitCode: 1 };
    case 'flood':
      return flood(host, action.stream ?? 'stdout', action.bytes);
    case 'reshape':
      return undefined;
  }
}

function failed(failure: Extract<MainAction, { kind: 'fail' }>['failure'], context: StrikeContext): string {
  const { stateFile, words, host } = context;
  return transact(stateFile, (state) => {
    const report = { knobs: state.knobs, words, argv: host.argv, world: new World(state) };
    if (typeof failure === 'string') return failureText(failure, report);
    return reportFailure(new RpcFailure(failure.code, failure.message), report) ?? '';
  });
}

async function flood(host: FakeYcHost, stream: 'stdout' | 'stderr', bytes: number): Promise<Answer> {
  const chunk = '"garbage",\n'.repeat(Math.ceil(CHUNK / 11)).slice(0, CHUNK);
  for (let left = bytes; left > 0; left -= CHUNK) await host.write(stream, chunk.slice(0, left));
  return { stdout: '', stderr: '', exitCode: 0 };
}
