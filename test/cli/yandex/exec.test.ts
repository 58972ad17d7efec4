import { expect, it } from 'vitest';
import { expectExit, linesOf } from '../../support/e2e/cloud.ts';
import { execLineSchema } from '../../support/e2e/contract.ts';
import { EMPTY, ONE_EACH, openYcCloudInside, type YcCloud } from '../../support/e2e/yandex.ts';

/** The steps of the gateway, none of them dry. */
const REAL = (text: string) => text.replaceAll('kind: provider\n', 'kind: provider\n      dry_run: false\n');
const PROTECTED = (text: string) =>
  text.replace('action: yandex.vpc.network.ensure', (action) => `${action}\n      protect: true`);

async function execute(cloud: YcCloud, ...flags: readonly string[]) {
  const ended = await cloud.run(['exec', 'playbook.yaml', ...flags]);
  const lines = linesOf(ended.stdout).map((line) => execLineSchema.parse(JSON.parse(line)));
  const said = Object.fromEntries(lines.map(({ step, error }) => [step, error?.message ?? 'success']));
  return { ...ended, said };
}

it('a definite failure starts nothing new in its stack and undoes what the run made there', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(REAL);
  cloud.fake.addFaults({ match: 'vpc security-group create', action: { kind: 'fail', failure: 'unknown_flag' } });
  const ended = await execute(cloud);
  expectExit(ended, 6);
  expect(ended.said).toMatchObject({
    network: 'success',
    subnet: 'success',
    address: 'firewall failed, so nothing new was started in its stack.',
    instance: 'it depends on firewall, which failed.',
  });
  expect(ended.stderr).toContain('ROLLED_BACK');
  expect(ended.stderr).toContain('was deleted again: subnet, network');
  expect(cloud.counts).toEqual(EMPTY);
  cloud.fake.clearFaults();
  expectExit(await execute(cloud), 0);
  expect(cloud.counts).toEqual(ONE_EACH);
}, 60_000);

it('--no-rollback keeps what the run made', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(REAL);
  cloud.fake.addFaults({ match: 'vpc security-group create', action: { kind: 'fail', failure: 'unknown_flag' } });
  expectExit(await execute(cloud, '--no-rollback'), 7);
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1, subnet: 1 });
}, 60_000);

it('what is protected is kept by a rollback of exec as well', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway((text) => PROTECTED(REAL(text)));
  cloud.fake.addFaults({ match: 'vpc security-group create', action: { kind: 'fail', failure: 'unknown_flag' } });
  const ended = await execute(cloud);
  expectExit(ended, 7);
  expect(ended.stderr).toContain('PROTECTED');
  expect(cloud.counts).toEqual({ ...EMPTY, network: 1 });
}, 60_000);

it('what waits for an uncertain step says that, and recover --rollback undoes the run', async () => {
  const cloud = await openYcCloudInside();
  cloud.gateway(REAL);
  cloud.fake.addFaults({ match: 'vpc subnet create', action: { kind: 'exit', when: 'after' } });
  const ended = await execute(cloud);
  expectExit(ended, 7);
  expect(ended.said['instance']).toBe('it depends on subnet, which is uncertain.');
  cloud.fake.clearFaults();
  const { code, document } = await cloud.recover('--rollback');
  expect(code).toBe(0);
  expect(document.rolled_back.map(({ address }) => address)).toContain('subnet');
  expect(cloud.counts).toEqual(EMPTY);
}, 60_000);
