import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claimOf, removeLeftCopies } from '../../src/cli/left-copies.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HERE = { hostname: 'here', user: 'me', uid: process.getuid?.() ?? null };

function deadClaim(): string {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  return JSON.stringify({ ...JSON.parse(claimOf(HERE)), pid });
}

function copyIn(folder: string, name: string, claim: string | null): string {
  const copy = join(folder, name);
  mkdirSync(copy, { mode: 0o700 });
  if (claim !== null) writeFileSync(join(copy, 'owner.json'), claim);
  writeFileSync(join(copy, 'user-data'), '{}');
  return copy;
}

it('removes what a killed process left, and nothing of a living one, of nobody or of another host', async () => {
  const folder = temporaryFolder();
  const dead = copyIn(folder, 'infra-user-data-aaaaaa', deadClaim());
  const kept = [
    copyIn(folder, 'infra-user-data-bbbbbb', claimOf(HERE)),
    copyIn(folder, 'infra-user-data-cccccc', null),
    copyIn(folder, 'infra-user-data-dddddd', JSON.stringify({ ...JSON.parse(deadClaim()), host: 'elsewhere' })),
    copyIn(folder, 'something-else', deadClaim()),
  ];
  await removeLeftCopies({ ...HERE, uid: (HERE.uid ?? 0) + 1 }, folder);
  expect(existsSync(dead)).toBe(true);
  await removeLeftCopies(HERE, folder);
  expect(existsSync(dead)).toBe(false);
  expect(kept.map((copy) => existsSync(join(copy, 'user-data')))).toEqual([true, true, true, true]);
});

it('follows no link', async () => {
  const [folder, other] = [temporaryFolder(), temporaryFolder()];
  const target = copyIn(other, 'target', deadClaim());
  symlinkSync(target, join(folder, 'infra-user-data-eeeeee'));
  const linked = copyIn(folder, 'infra-user-data-ffffff', null);
  symlinkSync(join(target, 'owner.json'), join(linked, 'owner.json'));
  await removeLeftCopies(HERE, folder);
  expect(existsSync(join(target, 'user-data'))).toBe(true);
  expect(existsSync(join(linked, 'user-data'))).toBe(true);
});
