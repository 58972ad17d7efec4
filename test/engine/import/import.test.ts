import { describe, expect, it } from 'vitest';
import { DiagnosticError } from '../../../src/core/diagnostics.ts';
import type { EmulatorSeed } from '../../../src/emulator/google/options.ts';
import { ACCOUNT, adopting, ImportHouse, load, ORG, tally } from './support.ts';

const SEED: EmulatorSeed = {
  folders: [
    { id: '10', displayName: '10-platform', parent: ORG },
    { id: '11', displayName: 'prod', parent: 'folders/10' },
    { id: '20', displayName: '20-data', parent: ORG },
    { id: '21', displayName: 'prod', parent: 'folders/20' },
    { id: '30', displayName: 'gone', parent: ORG, state: 'DELETE_REQUESTED' },
  ],
  projects: [
    {
      projectId: 'acme-dns-prod',
      parent: 'folders/11',
      displayName: 'Acme DNS',
      labels: { env: 'prod', legacy: 'no', code: '0123', empty: '' },
      billingAccountName: ACCOUNT,
      services: ['logging.googleapis.com', 'dns.googleapis.com'],
    },
    { projectId: 'acme-etl-dev', parent: ORG },
    { projectId: 'acme-old-prod', parent: ORG, state: 'DELETE_REQUESTED' },
  ],
  policies: [
    {
      resource: ORG,
      policy: {
        bindings: [
          {
            role: 'roles/resourcemanager.folderAdmin',
            members: ['group:cloud-admins@example.com', 'deleted:user:gone@example.com?uid=1'],
          },
          {
            role: 'roles/logging.serviceAgent',
            members: ['serviceAccount:service-org-123456789012@gcp-sa-logging.iam.gserviceaccount.com'],
          },
        ],
      },
    },
    {
      resource: 'folders/11',
      policy: { bindings: [{ role: 'roles/viewer', members: ['user:Ada@Example.com'] }] },
    },
    {
      resource: 'projects/acme-dns-prod',
      policy: {
        bindings: [
          { role: 'roles/dns.admin', members: ['user:ada@example.com', 'group:ada@example.com'] },
          { role: 'roles/editor', members: ['serviceAccount:555@cloudservices.gserviceaccount.com'] },
          {
            role: 'roles/browser',
            members: ['user:night@example.com'],
            condition: { title: 'office', expression: 'request.time.getHours() < 18 && "{{ x }}" != \'{%\'\n' },
          },
        ],
      },
    },
  ],
};

const seeded = (seed: EmulatorSeed): EmulatorSeed => ({
  organizations: [{ id: '123456789012', displayName: 'acme.example' }],
  billingAccounts: [{ id: '0A1B2C-3D4E5F-6A7B8C', parent: ORG }],
  ...seed,
});

const houseOf = (seed: EmulatorSeed): Promise<ImportHouse> => ImportHouse.open({ seed: seeded(seed) });

describe('an imported playbook', () => {
  it('says what is live, in names that people would choose', async () => {
    const house = await houseOf(SEED);
    const { text, steps } = await house.import();
    await expect(text).toMatchFileSnapshot('imported.yaml');
    expect(steps).toBe(13);
  });

  it('is the same text every time', async () => {
    const house = await houseOf(SEED);
    expect((await house.import()).text).toBe((await house.import()).text);
  });

  it('plans to nothing but records, and its apply owns all', async () => {
    const house = await houseOf(SEED);
    const playbook = await load((await house.import()).text);
    expect(tally(await house.plan(playbook))).toEqual({ 'none own': 14 });
    house.emulator.resetRequests();
    await house.apply(playbook);
    expect(
      house.emulator.requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith(':getIamPolicy')),
    ).toEqual([]);
    expect(tally(await house.plan(playbook))).toEqual({ none: 14 });
  });

  it('can be adopted', async () => {
    const house = await houseOf(SEED);
    const playbook = await load((await house.import()).text);
    expect(tally(await house.plan(adopting(playbook)))).toEqual({ 'adopt own': 14 });
    await house.apply(adopting(playbook));
    expect(tally(await house.plan(adopting(playbook)))).toEqual({ none: 14 });
    expect(tally(await house.plan(playbook))).toEqual({ none: 14 });
  });

  it('of a folder names that folder and what is above it by its number', async () => {
    const house = await houseOf(SEED);
    const { text } = await house.import('folders/10');
    expect(text).toContain('parent: folders/10');
    expect(text).not.toContain('20-data');
    expect(tally(await house.plan(await load(text)))).toEqual({ 'none own': 9 });
  });

  it('of a project is about that project alone', async () => {
    const house = await houseOf(SEED);
    const { text } = await house.import('projects/acme-dns-prod');
    expect(text).toContain('parent: folders/11');
    expect(tally(await house.plan(await load(text)))).toEqual({ 'none own': 7 });
  });

  it('leaves out the members that the caller says instead of service agents', async () => {
    const house = await houseOf(SEED);
    const { text, leftOut } = await house.import(ORG, { leaveOut: ['group:*@example.com'] });
    expect(text).toContain('serviceAccount:555@cloudservices.gserviceaccount.com');
    expect(leftOut.flatMap(({ what }) => what)).toContain(
      'roles/dns.admin for group:ada@example.com on projects/acme-dns-prod',
    );
    expect(tally(await house.plan(await load(text)))).toEqual({ 'none own': 14 });
  });

  it('leaves as it is what Google once allowed and infra refuses', async () => {
    const house = await houseOf({
      folders: [
        { id: '10', displayName: 'IT', parent: ORG },
        { id: '11', displayName: 'inner', parent: 'folders/10' },
      ],
      projects: [
        {
          projectId: 'acme-odd-name',
          parent: 'folders/10',
          displayName: 'Überprojekt',
          labels: { Wrong: 'x', right: 'y' },
        },
        { projectId: 'my-google-thing', parent: ORG, services: ['pubsub.googleapis.com'] },
        { projectId: 'without-parent' },
      ],
      policies: [
        {
          resource: 'projects/acme-odd-name',
          policy: { bindings: [{ role: 'roles/viewer', members: ['projectViewer:acme-odd-name'] }] },
        },
      ],
    });
    const { text, leftOut } = await house.import();
    expect(text).toContain('  # Left as it is: The label key "Wrong"');
    expect(text).toContain('right: "y"');
    expect(leftOut).toHaveLength(1);
    expect(leftOut[0]?.what).toEqual([
      expect.stringMatching(/^folders\/10: The folder's display name "IT"/),
      expect.stringMatching(/^projects\/my-google-thing: /),
      expect.stringMatching(/^roles\/viewer for projectViewer:acme-odd-name on projects\/acme-odd-name: /),
    ]);
    expect(tally(await house.plan(await load(text)))).toEqual({ 'none own': 3 });
    const alone = await house.import('projects/without-parent').catch((error: unknown) => error);
    expect(alone).toBeInstanceOf(DiagnosticError);
  });

  it('is no playbook where nothing is live', async () => {
    const house = await houseOf({});
    await expect(house.import()).rejects.toThrow(/nothing that a playbook could declare/);
  });

  it('is nothing at all where a part can not be read', async () => {
    const house = await houseOf(SEED);
    house.emulator.addFault({
      path: 'projects/acme-etl-dev/services',
      action: {
        kind: 'respond',
        status: 403,
        body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } },
      },
    });
    await expect(house.import()).rejects.toThrow(/services of acme-etl-dev can't be read, so nothing is listed/);
  });
});
