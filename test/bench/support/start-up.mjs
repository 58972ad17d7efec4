import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI, compare } from './measure.mjs';
import { writtenOut } from './playbooks.mjs';

const NOTHING = ['-e', '0'];
const ROUNDS = 25;

export async function startUp(folder) {
  writeFileSync(join(folder, 'ten.yaml'), writtenOut(10));
  const version = await compare([CLI, '--version'], NOTHING, ROUNDS, { cwd: folder });
  const ten = await compare([CLI, 'plan', 'ten.yaml', '--offline', '--no-save'], NOTHING, ROUNDS, { cwd: folder });
  const against = 'node -e 0';
  return [
    { name: 'infra --version', unit: 'ms', against, target: '1.3 x', ...version },
    { name: 'offline plan of ten steps', unit: 'ms', against, target: '2.3 x', ...ten },
  ];
}
