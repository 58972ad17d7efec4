import { expect, test } from 'vitest';
import { fakeYc, idOf } from './support.ts';

test('With --async an operation is printed, and it is done after its polls', async () => {
  const { quick, here, control } = await fakeYc();
  control.setKnobs({ operationPolls: 2, freshOperationMissing: true });
  const started = await quick('compute disk create --name d --zone ru-central1-a --async');
  expect(started.stderr).toBe('');
  const { json } = started;
  const disk = String(json['metadata']?.['disk_id']);
  expect(json).toEqual({
    id: expect.stringMatching(/^fhm[0-9a-v]{17}$/),
    description: 'Create disk',
    created_at: expect.any(String),
    created_by: expect.any(String),
    modified_at: expect.any(String),
    metadata: { '@type': 'type.googleapis.com/yandex.cloud.compute.v1.CreateDiskMetadata', disk_id: disk },
  });
  const id = idOf(started);
  expect((await quick('compute disk get d')).json['status']).toBe('CREATING');
  expect((await quick('operation get', id)).stderr).toContain(`NotFound desc = Operation ${id} not found`);
  expect((await quick('operation get', id)).json).not.toHaveProperty('done');
  expect((await quick('operation get --id', id)).json).toMatchObject({
    done: true,
    response: { '@type': 'type.googleapis.com/yandex.cloud.compute.v1.Disk', id: disk, status: 'READY' },
  });
  expect((await quick('compute disk get d')).json['status']).toBe('READY');
  const gone = await quick('compute disk delete d --async');
  expect((await here(['operation', 'wait', idOf(gone), '--format', 'json'])).stderr).toContain('NotFound');
  expect((await quick('operation wait', idOf(gone))).json).toMatchObject({
    done: true,
    response: { '@type': 'type.googleapis.com/google.protobuf.Empty', value: {} },
  });
});

test('An operation id is checked', async () => {
  const { quick } = await fakeYc();
  expect((await quick('operation get foo')).stderr).toContain("InvalidArgument desc = invalid operation id 'foo'");
  expect((await quick('operation get enp00000000000000000')).stderr).toContain('NotFound');
  expect((await quick('operation get')).stderr).toContain('operation id must be specified');
});

test('Operations long done are forgotten', async () => {
  const { quick, control } = await fakeYc();
  await quick('vpc network create --name net');
  const [first] = Object.values(control.state().operations);
  control.change((state) => {
    for (let at = 0; first !== undefined && at < 600; at += 1)
      state.operations[`enp${at}`] = { ...first, id: `enp${at}` };
  });
  await quick('vpc network update net --description x');
  expect(Object.keys(control.state().operations)).toHaveLength(500);
});

test('A status lags behind a change, for the reads that the knob says', async () => {
  const { quick, control } = await fakeYc();
  control.setKnobs({ statusLagReads: 1 });
  await quick('vpc network create --name net');
  const created = await quick('vpc security-group create --name sg --network-name net');
  const status = async () => (await quick('vpc security-group get sg')).json['status'];
  expect([created.json['status'], await status(), await status()]).toEqual(['ACTIVE', 'CREATING', 'ACTIVE']);
  await quick('vpc security-group update sg --description x');
  expect([await status(), await status()]).toEqual(['UPDATING', 'ACTIVE']);
});

test('A deleted resource is still seen, being deleted, for the reads that the knob says', async () => {
  const { quick, control } = await fakeYc();
  control.setKnobs({ deleteLagReads: 1 });
  await quick('compute disk create --name d --zone ru-central1-a');
  await quick('compute disk delete d');
  expect((await quick('compute disk delete d')).exitCode).toBe(1);
  expect((await quick('compute disk get d')).json['status']).toBe('DELETING');
  expect((await quick('compute disk get d')).exitCode).toBe(1);
});

test('A default group may not be shown at once', async () => {
  const { quick, control } = await fakeYc();
  control.setKnobs({ defaultGroupLagReads: 1 });
  const shown = async (ran: ReturnType<typeof quick>) => (await ran).json['default_security_group_id'] !== undefined;
  expect(await shown(quick('vpc network create --name net'))).toBe(false);
  expect(await shown(quick('vpc network get net'))).toBe(false);
  expect(await shown(quick('vpc network get net'))).toBe(true);
});
