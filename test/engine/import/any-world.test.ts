import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EmulatorSeed, FolderSeed, PolicySeed, ProjectSeed } from '../../../src/emulator/google/options.ts';
import { ACCOUNT, adopting, ImportHouse, load, ORG, tally } from './support.ts';

/** What YAML or a template would take for something else, and what a terminal would act on. */
const HOSTILE = [
  'no',
  'null',
  'true',
  '~',
  '1e3',
  '0123',
  '0x1f',
  '12:30:45',
  '2026-01-01',
  '- item',
  'key: value',
  '# comment',
  '{{ workload.action }}',
  '{{{ x }}}',
  '{% if x %}',
  '{# note #}',
  '{{\n',
  "it's",
  '"quoted" \\ back',
  'line\nbreak\n\n  indented\n',
  '\ttab ',
  'x ##[group]y ##vso[a]b',
  'bidi\u202e zero\u200b c1\u009b sep\u2028 tag\u{e0041}',
  '日本語🚀',
  '*alias &anchor !tag',
] as const;

const FOLDER_NAMES = [
  '0123',
  '1e3',
  'null',
  'true',
  'Nope',
  'Plat form',
  'Платформа',
  'Café',
  '日本語',
  '10_a-b',
  'yes',
  '0x1',
  'IT',
];
const PROJECT_NAMES = ['null', 'true', '1234', "it's !", '"quoted"', '- item', 'Überprojekt', '0x1f', ' lead', "'''''"];
const ROLES = ['roles/viewer', 'roles/resourcemanager.folderAdmin', 'roles/browser', `${ORG}/roles/ourOwn`];
const MEMBERS = [
  'user:ada@example.com',
  'user:Ada@Example.com',
  'group:ada@example.com',
  'domain:example.com',
  'serviceAccount:ci@acme-ci.iam.gserviceaccount.com',
  'serviceAccount:acme.svc.id.goog[ns/ksa]',
  'serviceAccount:service-12@compute-system.iam.gserviceaccount.com',
  'deleted:user:gone@example.com?uid=1',
  'principalSet://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/*',
  'principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/subject/{{ x }}',
  'allAuthenticatedUsers',
];
const LABELS = ['no', 'null', '1e3', '0123', '', 'true', '0x1f', 'ok_1'];
const SERVICES = ['dns.googleapis.com', 'compute.googleapis.com', 'logging.googleapis.com', 'pubsub.googleapis.com'];

const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }));

const binding = fc.record({
  role: fc.constantFrom(...ROLES),
  members: fc.uniqueArray(fc.constantFrom(...MEMBERS), { minLength: 1, maxLength: 4 }),
  condition: fc.option(fc.record({ title: text, expression: text, description: fc.option(text, { nil: '' }) }), {
    nil: undefined,
  }),
});
const bindings = fc.array(binding, { maxLength: 3 });

/** Folders and projects are numbered; each lies in an earlier folder or in the organisation. */
const world: fc.Arbitrary<EmulatorSeed> = fc
  .record({
    folders: fc.array(fc.record({ above: fc.nat(), name: fc.constantFrom(...FOLDER_NAMES), bindings }), {
      maxLength: 6,
    }),
    projects: fc.array(
      fc.record({
        above: fc.nat(),
        name: fc.constantFrom(...PROJECT_NAMES),
        labels: fc.dictionary(fc.constantFrom('no', 'on', 'env', 'null'), fc.constantFrom(...LABELS)),
        linked: fc.boolean(),
        state: fc.constantFrom('ACTIVE', 'ACTIVE', 'DELETE_REQUESTED'),
        services: fc.subarray(SERVICES),
        bindings,
      }),
      { minLength: 1, maxLength: 8 },
    ),
    bindings,
  })
  .map(({ folders, projects, bindings: onOrganization }) => {
    const place = (above: number, among: number) =>
      above % (among + 1) === 0 ? ORG : `folders/${above % (among + 1)}`;
    const madeFolders = folders.map(
      ({ above, name }, index): FolderSeed => ({
        id: String(index + 1),
        displayName: name,
        parent: place(above, index),
      }),
    );
    const madeProjects = projects.map(
      ({ above, name, labels, linked, state, services }, index): ProjectSeed => ({
        projectId: `acme-project-${index}`,
        parent: place(above, folders.length),
        displayName: name,
        labels,
        state: state as 'ACTIVE' | 'DELETE_REQUESTED',
        services,
        ...(linked ? { billingAccountName: ACCOUNT } : {}),
      }),
    );
    const policies: PolicySeed[] = [
      { resource: ORG, policy: { bindings: written(onOrganization) } },
      ...folders.map((folder, index) => ({
        resource: `folders/${index + 1}`,
        policy: { bindings: written(folder.bindings) },
      })),
      ...projects.map((project, index) => ({
        resource: `projects/acme-project-${index}`,
        policy: { bindings: written(project.bindings) },
      })),
    ];
    return { folders: madeFolders, projects: madeProjects, policies };
  });

function written(some: readonly { role: string; members: string[]; condition: unknown }[]) {
  return some.map(({ role, members, condition }) => ({
    role,
    members,
    ...(condition === undefined ? {} : { condition }),
  })) as never[];
}

it('whatever is live is imported as it is: a plan of it changes nothing, and once adopted nothing is left to record', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.constantFrom(ORG, 'projects/acme-project-0'), async (seed, scope) => {
      const { house, close } = await ImportHouse.start({
        seed: {
          organizations: [{ id: '123456789012', displayName: 'acme.example' }],
          billingAccounts: [{ id: '0A1B2C-3D4E5F-6A7B8C', parent: ORG }],
          ...seed,
        },
        pageSize: 2,
      });
      try {
        const imported = await house.import(scope).catch((error: unknown) => error);
        if (imported instanceof Error) {
          expect(imported.message).toMatch(/nothing that a playbook could declare/);
          return;
        }
        const { text: yaml } = imported as { readonly text: string };
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a terminal.
        expect(yaml).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e\u2028]|##\w*\[/);
        const playbook = await load(yaml);
        expect(Object.keys(tally(await house.plan(playbook)))).toEqual(['none own']);
        expect(Object.keys(tally(await house.plan(adopting(playbook))))).toEqual(['adopt own']);
        await house.apply(adopting(playbook));
        expect(Object.keys(tally(await house.plan(playbook)))).toEqual(['none']);
        const writes = house.emulator.requests.filter(
          ({ method, path }) => method !== 'GET' && !path.endsWith(':getIamPolicy'),
        );
        expect(writes).toEqual([]);
      } finally {
        await close();
      }
    }),
    { numRuns: 25, interruptAfterTimeLimit: 20_000 },
  );
});
