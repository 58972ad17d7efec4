import { expect, test } from 'vitest';
import { FOLDER, FORBIDDEN_FOLDER, fakeYc, idOf, named, OTHER_FOLDER } from './support.ts';

test('An id is found from any folder, a name in its own alone', async () => {
  const { here, quick } = await fakeYc();
  const id = idOf(await quick('vpc network create', ...named('net')));
  const elsewhere = ['--folder-id', OTHER_FOLDER, '--format', 'json'];
  expect((await here(['vpc', 'network', 'get', '--id', id, ...elsewhere])).json['folder_id']).toBe(FOLDER);
  expect((await here(['vpc', 'network', 'get', id, ...elsewhere])).json['name']).toBe('net');
  expect((await here(['vpc', 'network', 'get', '--name', 'net', ...elsewhere])).stderr).toBe(
    'ERROR: execute command: run command: network with name "net" not found\n',
  );
  expect((await quick('vpc network get --name net')).json['id']).toBe(id);
  expect((await quick('vpc network get net')).json['id']).toBe(id);
  expect((await here(['vpc', 'network', 'delete', id, '--folder-id', OTHER_FOLDER])).exitCode).toBe(0);
});

test.each([
  ['vpc network', "invalid network id 'foo'", 'Network enp00000000000000000 not found'],
  ['vpc subnet', "invalid subnet id 'foo'", 'Subnet enp00000000000000000 not found'],
  ['vpc address', "invalid address id 'foo'", 'Address enp00000000000000000 not found'],
  ['vpc security-group', "invalid security group id 'foo'", 'SecurityGroup.Id(value=enp00000000000000000) not found'],
  ['compute disk', "invalid disk id 'foo'", 'Disk enp00000000000000000 not found'],
  ['compute instance', "invalid instance id 'foo'", 'Instance enp00000000000000000 not found'],
])('%s: a malformed id is invalid, one of any family is looked for', async (kind, invalid, missing) => {
  const { quick } = await fakeYc();
  for (const verb of ['get', 'delete', 'update --description x']) {
    expect((await quick(`${kind} ${verb} --id foo`)).stderr).toContain(`code = InvalidArgument desc = ${invalid}`);
    const { stderr, exitCode } = await quick(`${kind} ${verb} --id enp00000000000000000`);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('code = NotFound');
    expect(stderr).toContain(missing);
  }
});

test('A command wants one target', async () => {
  const { quick } = await fakeYc();
  expect((await quick('vpc network get')).stderr).toContain('network id or name must be specified');
  expect((await quick('vpc network get a --name b')).stderr).toContain('only one of network id and name');
});

test('A folder is found by id or name; a foreign one is denied, and so is what is in it', async () => {
  const { quick, here, control } = await fakeYc();
  expect((await quick('resource-manager folder get', FOLDER)).json).toEqual({
    id: FOLDER,
    cloud_id: 'b1gfakecloud00000001',
    created_at: '2023-11-14T18:48:10Z',
    name: 'sandbox',
    status: 'ACTIVE',
  });
  expect((await quick('resource-manager folder get --name sandbox')).json['id']).toBe(FOLDER);
  expect((await quick('resource-manager folder get --id', FORBIDDEN_FOLDER)).stderr).toContain(
    'rpc error: code = PermissionDenied desc = Permission denied',
  );
  expect((await quick('resource-manager folder get --id b1g00000000000000000')).stderr).toContain(
    'code = NotFound desc = Folder with id b1g00000000000000000 not found',
  );
  expect((await quick('resource-manager folder get nope')).stderr).toContain('folder with id or name "nope" not found');
  expect((await quick('resource-manager folder get --id nope')).stderr).toContain("invalid folder id 'nope'");
  expect((await quick('resource-manager folder get')).stderr).toContain('folder id or name must be specified');
  const id = idOf(await quick('vpc network create', ...named('net')));
  control.change((state) => {
    const network = state.resources.network[id];
    if (network !== undefined) network.folderId = FORBIDDEN_FOLDER;
  });
  expect((await quick('vpc network get --id', id)).stderr).toContain('PermissionDenied');
  expect((await here(['vpc', 'network', 'list', '--folder-id', FORBIDDEN_FOLDER])).stderr).toContain(
    'PermissionDenied',
  );
  expect((await here(['vpc', 'network', 'create', '--folder-id', 'b1gunknown0000000000'])).stderr).toContain(
    'Folder with id b1gunknown0000000000 not found',
  );
  expect((await here(['vpc', 'network', 'list', '--folder-name', 'nope'])).stderr).toContain('folder with name "nope"');
});
