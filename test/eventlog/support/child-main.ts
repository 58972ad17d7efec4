import { openJsonlLog } from '../../../src/eventlog/jsonl-file.ts';
import { lockAppend, lockStacks } from '../../../src/eventlog/lock.ts';
import { context, factRow } from './facts.ts';

// One child process of the tests: `<verb> <path> <argument>`; it says what it did on stdout, a line each.
const [verb = '', path = '', argument = ''] = process.argv.slice(2);
const actor = { user: 'child', host: 'testhost' };
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function append(count: number, bytes: number): Promise<void> {
  const log = openJsonlLog({ path, infraFolder: null, actor });
  for (let index = 0; index < count; index += 1) {
    const filler = 'x'.repeat(bytes);
    try {
      const rows = await log.append(context(), [
        factRow(`${process.pid}-${index}`, { desired: { filler } }),
        factRow('pair'),
      ]);
      say(rows.map((row) => row.global_sequence).join(' '));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
  }
}

function holdUntilStdinEnds(): Promise<void> {
  return new Promise((done) => process.stdin.resume().on('end', done));
}

switch (verb) {
  case 'append':
    await append(Number(argument), 100);
    break;
  case 'append-large':
    await append(Number(argument), 2400);
    break;
  case 'hold-stack': {
    const held = await lockStacks(path, [argument], actor, 0);
    say('held');
    await holdUntilStdinEnds();
    await held.release();
    break;
  }
  case 'hold-append':
    await lockAppend(path, argument, actor);
    say('held');
    await holdUntilStdinEnds();
    break;
  default:
    throw new Error(`no verb ${verb}`);
}
