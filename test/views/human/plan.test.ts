import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../../src/core/codes.ts';
import type { PlanStep } from '../../../src/core/plan.ts';
import { renderPlan } from '../../../src/views/human/plan.ts';
import { DIGEST, foundationPlan, mixedPlan, PLAIN, planOf, planStep } from '../support/plans.ts';

const VERBOSE = { ...PLAIN, verbose: true, showReads: true };

/** The lines of a plan that follow the title and the blank line after it. */
function body(steps: readonly PlanStep[], options = PLAIN): string {
  return renderPlan(planOf(steps), options).split('\n').slice(2).join('\n');
}

test('a whole foundation to be created', () => {
  expect(renderPlan(foundationPlan(), PLAIN)).toMatchInlineSnapshot(`
    "Plan of org.yaml (org-foundation), on the real cloud, read live, stack foundation

    + folders: create 3 folders
        org.yaml:31:5  Top-level folders
        parent: organizations/123456789012
        + folders[00-shared]    folder "00-shared"
        + folders[10-platform]  folder "10-platform"
        + folders[20-media]     folder "20-media"

    + projects: create 3 projects
        org.yaml:40:5
        + projects[acme-dns-prod]  project acme-dns-prod "Acme DNS Prod"
            parent: (known after apply: folders[00-shared].name)
        + projects[acme-etl-dev]   project acme-etl-dev "Acme ETL Dev"
            parent: (known after apply: folders[10-platform].name)
        + projects[acme-video]     project acme-video "Acme Video"
            parent: (known after apply: folders[20-media].name)

    + billing: set 3 billing links
        org.yaml:52:5
        billing_account: billingAccounts/0A1B2C-3D4E5F-6A7B8C
        + billing[acme-dns-prod]  billing link of project acme-dns-prod
        + billing[acme-etl-dev]   billing link of project acme-etl-dev
        + billing[acme-video]     billing link of project acme-video

    + apis: enable 3 services
        org.yaml:58:5
        + apis[acme-dns-prod][dns.googleapis.com]
            service dns.googleapis.com of project acme-dns-prod
        + apis[acme-etl-dev][container.googleapis.com]
            service container.googleapis.com of project acme-etl-dev
        + apis[acme-video][youtube.googleapis.com]
            service youtube.googleapis.com of project acme-video

    + admins: add 2 grants
        org.yaml:64:5
        + admins[roles/resourcemanager.folderAdmin]
            grant of roles/resourcemanager.folderAdmin to group:cloud-admins@example.com on
            organizations/123456789012
        + admins[roles/serviceusage.serviceUsageAdmin]
            grant of roles/serviceusage.serviceUsageAdmin to group:cloud-admins@example.com on
            organizations/123456789012

    Plan: 14 to create, 0 to change, 0 to delete.
    Sent together: 2 steps in 1 request: add 2 members to the policy of organizations/123456789012 (2)
    Digest: 3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a

    To apply exactly this:
      infra apply org.yaml --confirm 3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a
    "
  `);
});

test('a deletion without a request says why it needs none', () => {
  const gone = (address: string, present: PlanStep['present'], record: PlanStep['record']) =>
    planStep({
      address,
      action: 'google.serviceusage.services.disable',
      change: 'none',
      present,
      record,
      reconcile: null,
    });
  const text = body(
    [gone('within', 'unknown', 'tombstone'), gone('absent', false, 'tombstone'), gone('before', 'unknown', null)],
    VERBOSE,
  ).replaceAll(/\s+/g, ' ');
  expect(text).toMatch(/within: goes with what it lies in, record that it is gone: /);
  expect(text).toMatch(/absent: already gone, record that it is gone: /m);
  expect(text).toMatch(/before: already gone: /m);
});

test('one step of every kind', () => {
  expect(renderPlan(mixedPlan(), PLAIN)).toMatchInlineSnapshot(`
    "Plan of org.yaml (org-foundation), on the real cloud, read live, stack foundation

    + created: create project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        parent: folders/1
        not visible to this identity: it may exist out of sight, the create shows whether it does
        permission: missing resourcemanager.projects.create; roles/resourcemanager.projectCreator has it

    ~ renamed: change project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        display_name: "Old Web" → "Acme Web"
        labels.env: dev → prod
        labels.team: (not set) → web
        live: id projects/415104041262, state ACTIVE

    → moved: move project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        parent: folders/1 → folders/2
        live: id projects/415104041262, state ACTIVE

    ↺ undeleted: undelete project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        live: id projects/415104041262, state DELETE_REQUESTED

    - removed: delete project acme-old "Acme Old"
        org.yaml:12:5
        parent: folders/9
        live: id projects/415104041262, state ACTIVE

    ⊕ adopted: adopt project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        display_name: declared "Acme Web", live "Old Web"
        live: id projects/415104041262, state ACTIVE

    = recorded:
        already as declared, record as owned by this stack: project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5

    ~ reported: held, would change project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        display_name: "Old Web" → "Acme Web"
        held: reconcile is report
        live: id projects/415104041262, state ACTIVE
        drift: it is not as last recorded in the log

    ! blocked: blocked: project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        parent: folders/1
        error[PARENT_DELETED]: The parent was deleted
          folders/1 was deleted on 2026-07-01.
          hint: undelete the folder first

    ? undecided: not read, so its change is not known: project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        parent: folders/1
        note[UNDECIDED]: Planned without reading the cloud
          No credential could be obtained.

    warning[LOG_NOT_KEPT]: The event log is local in CI
      CI=true and the log is .infra/eventlog.jsonl.
      hint: set INFRA_EVENTLOG to a shared log

    1 warning

    Plan: 1 to create, 1 to change, 1 to move, 1 to undelete, 1 to delete, 1 to adopt, 1 to record in the log only; 1 already as declared, 1 to read, 1 held, 1 blocked, 1 not read, 1 skipped.
    Digest: 3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a
    Blocked steps and what depends on them are left out; the rest can be applied.

    To apply exactly this:
      infra apply org.yaml --confirm 3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a
    "
  `);
});

test('verbose also lists what does nothing, and the requests', () => {
  const call = { method: 'POST', url: 'https://cloud.example/v3/projects', body: {} };
  const steps = [
    planStep({ address: 'a', would_call: [call, { argv: ['yc', 'vpc', 'network', 'create', '--name', 'my net'] }] }),
    planStep({ address: 'b', change: 'none', present: true }),
    planStep({
      address: 'c',
      change: 'read',
      action: 'google.serviceusage.services.list_enabled',
      input: { project_id: 'acme-web', page: 1 },
      desired: null,
    }),
    planStep({ address: 'd', change: 'skipped', diagnostics: [diagnostic('STEP_SKIPPED', 'It was not selected.')] }),
  ];
  expect(body(steps, VERBOSE)).toMatchInlineSnapshot(`
    "+ a: create project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        parent: folders/1
        sends: POST https://cloud.example/v3/projects
        runs: yc vpc network create --name 'my net'

    = b: already as declared: project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5

    · c: read services of project acme-web
        org.yaml:12:5
        page: 1

    · d: skipped: project acme-dns-prod "Acme DNS Prod"
        org.yaml:12:5
        note[STEP_SKIPPED]: A step is skipped
          It was not selected.

    Plan: 1 to create, 0 to change, 0 to delete; 1 already as declared, 1 to read, 1 skipped.
    Digest: 3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a

    To apply exactly this:
      infra apply org.yaml --confirm 3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a3f9a
    "
  `);
});

describe('what can be done with the plan', () => {
  test('nothing to do', () => {
    expect(renderPlan(planOf([planStep({ change: 'none', present: true })]), PLAIN)).toMatchInlineSnapshot(`
      "Plan of org.yaml (org-foundation), on the real cloud, read live, stack foundation

      Plan: 0 to create, 0 to change, 0 to delete; 1 already as declared.
      Nothing to do: everything is as org.yaml declares. No apply is needed.
      "
    `);
  });

  test('no digest, offline', () => {
    const plan = planOf([planStep({ change: 'unknown', present: 'unknown' })], { digest: null, mode: 'offline' });
    expect(renderPlan(plan, PLAIN)).toMatchInlineSnapshot(`
      "Plan of org.yaml (org-foundation), on the real cloud, offline, nothing was read, stack foundation

      ? project: not read, so its change is not known: project acme-dns-prod "Acme DNS Prod"
          org.yaml:12:5
          parent: folders/1

      Plan: 0 to create, 0 to change, 0 to delete; 1 not read.
      No digest: 1 step could not be compared with the cloud, so this plan can't be applied.
      To get one: leave --offline (or --untrusted) out, and plan again.
      "
    `);
  });

  test('no digest, for want of a credential', () => {
    const step = planStep({
      change: 'unknown',
      present: 'unknown',
      diagnostics: [
        diagnostic('AUTHENTICATION', 'No application default credentials.', {
          hint: 'run gcloud auth application-default login',
        }),
      ],
    });
    expect(renderPlan(planOf([step], { digest: null, mode: 'mixed' }), PLAIN)).toMatchInlineSnapshot(`
      "Plan of org.yaml (org-foundation), on the real cloud, partly read live, stack foundation

      ? project: not read, so its change is not known: project acme-dns-prod "Acme DNS Prod"
          org.yaml:12:5
          parent: folders/1
          error[AUTHENTICATION]: Authentication failed
            No application default credentials.
            hint: run gcloud auth application-default login

      Plan: 0 to create, 0 to change, 0 to delete; 1 not read.
      No digest: 1 step could not be compared with the cloud, so this plan can't be applied.
      To get one: give the steps above an auth that can be used, and plan again.
      "
    `);
  });

  test('no digest, for an endpoint that is not allowed', () => {
    const hint = '--allow-endpoint http://127.0.0.1:1';
    const diagnostics = [diagnostic('ENDPOINT_NOT_ALLOWED', 'Not among those.', { severity: 'note', hint })];
    const step = planStep({ change: 'unknown', present: 'unknown', diagnostics });
    expect(renderPlan(planOf([step], { digest: null, mode: 'offline' }), PLAIN)).toContain(
      'To get one: allow the endpoint with --allow-endpoint http://127.0.0.1:1, and plan again.',
    );
  });

  test('a delete says of a state only what is not plain, and an empty map is short', () => {
    const gone = { change: 'delete', present: true, resource_id: null } as const;
    expect(body([planStep({ ...gone, state: 'bound' })])).not.toContain('live:');
    expect(body([planStep({ ...gone, state: 'DELETE_REQUESTED' })])).toContain('live: state DELETE_REQUESTED');
    expect(body([planStep({ desired: { labels: {} } })])).toContain('labels: {}');
  });

  test('everything held', () => {
    const text = body([
      planStep({ held: 'dry_run' }),
      planStep({ address: 'b', step: 'b', held: 'reconcile is report' }),
    ]);
    expect(text).toContain('An apply would change nothing: 2 steps held (dry_run; reconcile is report).');
    expect(text).not.toContain('infra apply');
  });

  test('everything blocked', () => {
    const text = body([planStep({ change: 'blocked' })]);
    expect(text).toContain('An apply would change nothing: 1 step blocked, see above.');
    expect(text).not.toContain('infra apply');
  });

  test.each([
    ['plan', 'cloud', 'org.yaml', 'infra apply org.yaml'],
    ['adopt', 'cloud', 'org.yaml', 'infra adopt org.yaml'],
    ['destroy', 'cloud', 'my org.yaml', "infra destroy 'my org.yaml'"],
    ['plan', 'emulator', '-x.yaml', 'infra apply ./-x.yaml --emulator'],
  ] as const)('%s on %s of %s is confirmed by %s', (command, target, path, line) => {
    const plan = planOf([planStep()], { command, target, playbook: { path, name: '', sha256: '' } });
    expect(renderPlan(plan, PLAIN)).toContain(`\n  ${line} --confirm ${DIGEST}\n`);
  });

  test('the command handed in is printed as it is', () => {
    const text = renderPlan(planOf([planStep()]), { ...PLAIN, applyCommand: "infra apply org.yaml --set 'a=b c'" });
    expect(text).toContain(`\n  infra apply org.yaml --set 'a=b c' --confirm ${DIGEST}\n`);
  });

  test('without a command to hand out only the digest stands there', () => {
    const text = renderPlan(planOf([planStep()]), { ...PLAIN, applyCommand: null });
    expect(text.endsWith(`Digest: ${DIGEST}\n`)).toBe(true);
  });
});

describe('loops', () => {
  const instances = (change: PlanStep['change'], number: number) =>
    Array.from({ length: number }, (_, index) =>
      planStep({
        present: change !== 'create',
        address: `p[${index}]`,
        step: 'p',
        change,
        desired: { project_id: `p-${index}` },
        actual: { project_id: `p-${index}` },
      }),
    );

  test('creates beyond 25 are counted', () => {
    const text = body(instances('create', 1000));
    expect(text).toContain('+ p: create 1000 projects\n');
    expect(text).toContain('    … and 975 more like these (-v lists them all)\n');
    expect(text.match(/project p-/g)).toHaveLength(25);
    expect(body(instances('create', 1000), VERBOSE).match(/project p-/g)).toHaveLength(1000);
  });

  test.each(['delete', 'update', 'move', 'undelete', 'adopt'] as const)('a %s is never left out', (change) => {
    expect(body(instances(change, 60)).match(/project p-/g)).toHaveLength(60);
  });

  test('an instance with a warning is listed wherever it stands', () => {
    const steps = instances('create', 40).map((step, index) =>
      index === 39 ? { ...step, diagnostics: [diagnostic('OTHER_STACK', 'Stack blue owns it.')] } : step,
    );
    expect(body(steps)).toContain('+ p[39]  project p-39\n        warning[OTHER_STACK]');
    expect(body(steps)).toContain('… and 14 more');
  });

  test('what is said of every instance is said once, and hides none of them', () => {
    const note = diagnostic('NOT_VISIBLE', 'It does not exist, or may not be seen.', { severity: 'note' });
    const steps = instances('create', 40).map((step) => ({
      ...step,
      present: 'unknown' as const,
      diagnostics: [{ ...note, address: step.address }],
    }));
    const text = body(steps);
    expect(text.match(/It does not exist/g)).toHaveLength(1);
    expect(text).toContain('… and 15 more');
    expect(text).not.toContain('out of sight');
  });

  test('instances to which different things happen are told apart', () => {
    const text = body([...instances('create', 2), ...instances('delete', 2)]);
    expect(text).toContain('+ p: create 2 projects');
    expect(text).toContain('- p: delete 2 projects');
  });

  test('100,000 instances are no trouble', () => {
    expect(body(instances('create', 100_000), VERBOSE)).toContain('p[99999]');
  });
});

describe('what a step is, in words', () => {
  test.each([
    [
      'google.cloudresourcemanager.folders.ensure',
      { display_name: '00-shared', parent: 'organizations/1' },
      'create folder "00-shared"',
    ],
    [
      'google.cloudresourcemanager.projects.ensure',
      { project_id: 'acme', display_name: 'acme' },
      'create project acme',
    ],
    [
      'google.cloudbilling.projects.link',
      { project_id: 'acme', billing_account: 'b' },
      'set billing link of project acme',
    ],
    [
      'google.serviceusage.services.enable',
      { project_id: 'acme', service_name: 'dns.googleapis.com' },
      'enable service dns.googleapis.com of project acme',
    ],
    [
      'google.cloudresourcemanager.projects.iam.ensure_binding',
      { project_id: 'acme', role: 'roles/viewer', member: 'user:a@b.c' },
      'add grant of roles/viewer to user:a@b.c on project acme',
    ],
    [
      'google.cloudbilling.billing_accounts.iam.ensure_binding',
      { billing_account: 'billingAccounts/X', role: 'r', member: 'm' },
      'add grant of r to m on billingAccounts/X',
    ],
    ['yandex.vpc.security_group.ensure', { name: 'web' }, 'create security group "web"'],
    ['yandex.vpc.address.ensure', { name: 'front' }, 'create address "front"'],
    ['yandex.compute.instance.ensure', {}, 'create instance urn:x'],
  ])('%s', (action, desired, words) => {
    expect(body([planStep({ action, desired, urn: 'urn:x' })])).toContain(`+ project: ${words}\n`);
  });

  test.each([
    ['google.cloudresourcemanager.projects.delete', 'delete project acme'],
    ['google.serviceusage.services.disable', 'disable service of project acme'],
    ['google.serviceusage.services.enable', 'disable service of project acme'],
    ['google.cloudbilling.projects.unlink', 'remove billing link of project acme'],
    ['google.cloudresourcemanager.projects.iam.remove_binding', 'remove grant of r to m on project acme'],
  ])('a delete by %s', (action, words) => {
    const grant = action.endsWith('binding') ? { role: 'r', member: 'm' } : {};
    expect(
      body([planStep({ action, change: 'delete', present: true, desired: { project_id: 'acme', ...grant } })]),
    ).toContain(`- project: ${words}\n`);
  });

  test.each([
    ['google.cloudresourcemanager.folders.list', { parent: 'folders/1' }, 'read folders in folders/1'],
    [
      'google.cloudresourcemanager.organizations.get',
      { organization: 'organizations/1' },
      'read organization organizations/1',
    ],
    [
      'google.cloudresourcemanager.projects.iam.get_policy',
      { project_id: 'acme' },
      'read access policy of project acme',
    ],
  ])('a read by %s', (action, input, words) => {
    expect(body([planStep({ action, change: 'read', input, desired: null })], VERBOSE)).toContain(words);
  });
});

describe('fields', () => {
  test('a condition is shown whole, a long value is cut and says so', () => {
    const condition = { title: 'expires', expression: 'request.time < timestamp("2027-01-01T00:00:00Z")' };
    const text = body([
      planStep({
        desired: {
          project_id: 'p',
          condition,
          note: 'x'.repeat(500),
          size: 10,
          on: 'true',
          tags: ['a', 'b c'],
          nothing: null,
        },
      }),
    ]);
    expect(text).toContain(
      'condition: { title: expires, expression: "request.time < timestamp(\\"2027-01-01T00:00:00Z\\")" }',
    );
    expect(text).toContain(`note: ${'x'.repeat(399)}… (500 characters, whole in the JSON)`);
    expect(text).toContain('size: 10\n    on: "true"\n    tags: [a, "b c"]\n');
    expect(text).not.toContain('nothing');
  });

  test('a map differs key by key, also where it goes', () => {
    const diff = {
      labels: { desired: { a: '1', b: '2' }, actual: { a: '1', c: '3' } },
      gone: { desired: null, actual: 'x' },
    };
    expect(body([planStep({ change: 'update', present: true, diff })])).toContain(
      '    labels.c: "3" → (removed)\n    labels.b: (not set) → "2"\n    gone: x → (removed)\n',
    );
  });
});

test('colour marks what words say too', () => {
  const plan = mixedPlan();
  const colored = renderPlan(plan, { ...PLAIN, color: true });
  expect(colored).toContain('\u001b[32m+\u001b[0m');
  expect(stripVTControlCharacters(colored)).toBe(renderPlan(plan, PLAIN));
});

test('a narrow terminal gets wrapped words', () => {
  const long = renderPlan(foundationPlan(), { ...PLAIN, width: 80 }).split('\n');
  const tooLong = long.filter((line) => line.length > 80 && !/^(Digest|Plan|Sent| {2}infra)/.test(line));
  expect(tooLong).toEqual([]);
});
