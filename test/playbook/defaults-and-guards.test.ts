import { describe, expect, it } from 'vitest';
import type { GuardSpec } from '../../src/core/step.ts';
import { parseProjectConfig } from '../../src/playbook/project-config.ts';
import { error, errors, load, playbook, projectStep, steps } from './support.ts';

const NOTHING: GuardSpec = {
  requireOrg: null,
  requireOrgDisplayName: null,
  requireBillingAccount: null,
  requireCloudId: null,
  requireFolder: null,
};

function withDefaults(defaults: string, step = projectStep('{ project_id: p }')): string {
  return playbook(step, '{ x: 1 }', `defaults: ${defaults}\n`);
}

describe('defaults', () => {
  it("stand under every tool; a step's own key wins; maps merge, lists replace", async () => {
    const [step] = await steps(
      withDefaults(
        '{ stack: a, reconcile: report, input: { labels: { a: 1, b: [1, 2] }, note: d } }',
        projectStep('{ labels: { b: [3], c: 4 } }', 'p', ', reconcile: enforce'),
      ),
    );
    expect(step).toMatchObject({
      stack: 'a',
      reconcile: 'enforce',
      input: { labels: { a: 1, b: [3], c: 4 }, note: 'd' },
    });
  });

  it('auth and endpoint replace as a whole', async () => {
    const text = withDefaults(
      '{ auth: { type: gcp_adc, credential: a, scopes: [s] }, endpoint: { crm: "http://a" } }',
      projectStep('{}', 'p', ', auth: { type: gcp_adc }, endpoint: { billing: "http://b" }'),
    );
    const [step] = await steps(text);
    expect(step?.auth).toEqual({ type: 'gcp_adc', credential: null, scopes: [], token: null, tokenEnv: null });
    expect(step?.endpoint).toEqual({ crm: null, billing: 'http://b/v1', serviceusage: null });
  });

  it("leave out what a provider or an action doesn't know", async () => {
    const yandex = '  - step: n\n    tool: { kind: provider, action: yandex.vpc.network.ensure, input: { name: n } }\n';
    const found = await steps(
      withDefaults(
        '{ settings: { folder_id: b }, runtime: rest, service: cloudresourcemanager.googleapis.com, input: { description: d, note: n } }',
        projectStep('{}') + yandex,
      ),
    );
    expect(found[0]).toMatchObject({ settings: null, input: { note: 'n' } });
    expect(found[1]).toMatchObject({ settings: { folder_id: 'b' }, input: { name: 'n', description: 'd' } });
  });

  it('complain once about a key that no tool has, and about a template that fails', async () => {
    expect(await error(withDefaults('{ reconcil: report }', projectStep('{}', 'a') + projectStep('{}', 'b')))).toMatch(
      /^4:\d+ UNKNOWN_KEY: defaults has no key "reconcil"/,
    );
    expect(
      await errors(withDefaults('{ dry_run: "{{ workload.nope }}" }', projectStep('{}', 'a') + projectStep('{}', 'b'))),
    ).toHaveLength(1);
  });

  it('are null where a step says so', async () => {
    const [step] = await steps(
      withDefaults('{ stack: a, auth: { type: gcp_adc } }', projectStep('{}', 'p', ', auth: null, stack: null')),
    );
    expect(step).toMatchObject({ auth: null, stack: null });
  });

  it('of infra.yaml lie under those of the playbook', async () => {
    const { config } = await parseProjectConfig(
      '/x/infra.yaml',
      'defaults: { stack: project, reconcile: report, input: { note: p } }\nguard: { require_org: "1" }\n',
    );
    const [step] = await steps(withDefaults('{ stack: playbook }'), { project: config });
    expect(step).toMatchObject({
      stack: 'playbook',
      reconcile: 'report',
      input: { note: 'p' },
      guard: { ...NOTHING, requireOrg: '1' },
    });
  });
});

describe('guards', () => {
  const guarded = (guard: string) => projectStep('{}', 'p', `, guard: ${guard}`);

  it('add up from step, defaults, infra.yaml and caller', async () => {
    const { config } = await parseProjectConfig('/x/infra.yaml', 'guard: { require_org_display_name: acme }\n');
    const text = withDefaults(
      '{ guard: { require_billing_account: billingAccounts/0A } }',
      guarded('{ require_org: organizations/12 }'),
    );
    const [step] = await steps(text, {
      project: config,
      callerGuard: { ...NOTHING, requireCloudId: 'c', requireOrg: '12' },
    });
    expect(step?.guard).toEqual({
      requireOrg: '12',
      requireOrgDisplayName: 'acme',
      requireBillingAccount: '0A',
      requireCloudId: 'c',
      requireFolder: null,
    });
  });

  it('take ids with or without prefix, as numbers too', async () => {
    for (const written of ['12', '"12"', 'organizations/12']) {
      const [step] = await steps(playbook(guarded(`{ require_org: ${written}, require_folder: b1g }`)));
      expect(step?.guard).toEqual({ ...NOTHING, requireOrg: '12', requireFolder: 'b1g' });
    }
  });

  it('that contradict each other are an error that names both', async () => {
    const text = withDefaults('{ guard: { require_org: 1 } }', guarded('{ require_org: 2 }'));
    expect(await error(text)).toMatch(
      /GUARD_CONTRADICTION: guard.require_org: the step says 2, defaults \(playbook.yaml:4:\d+\) says 1/,
    );
    const caller = await error(playbook(guarded('{ require_org: 2 }')), {
      callerGuard: { ...NOTHING, requireOrg: '3' },
    });
    expect(caller).toContain('the step says 2, the caller says 3');
    const { config } = await parseProjectConfig('/x/infra.yaml', 'guard: { require_org: "1" }\n');
    expect(
      await error(playbook(projectStep('{}')), { project: config, callerGuard: { ...NOTHING, requireOrg: '3' } }),
    ).toContain('infra.yaml says 1, the caller says 3');
  });

  it.each([
    ['{ require_org: "{{ workload.x }}" }', 'must be a literal'],
    ['{ require_org: acme }', 'guard.require_org must be an organisation number'],
    ['{ require_org: folders/1 }', 'guard.require_org must be an organisation number'],
    ['{ require_billing_account: "a/b" }', 'guard.require_billing_account must be'],
    ['{ require_org: }', 'guard.require_org must be a text, not nothing'],
    ['{ require_organization: 1 }', 'UNKNOWN_KEY: guard has no key'],
    ['[1]', 'guard must be a mapping'],
    ['"{{ workload.guard }}"', 'guard must be a mapping'],
  ])('are literals of the right shape: %s', async (guard, expected) => {
    expect(await error(playbook(guarded(guard)))).toContain(expected);
  });
});

describe('auth', () => {
  const auth = (written: string) => playbook(projectStep('{}', 'p', `, auth: ${written}`), '{ cred: admin }');

  it("is read with its scopes and its credential's name", async () => {
    const [step] = await steps(auth('{ type: gcp_adc, credential: "{{ workload.cred }}", scopes: [a, b] }'));
    expect(step?.auth).toEqual({
      type: 'gcp_adc',
      credential: 'admin',
      scopes: ['a', 'b'],
      token: null,
      tokenEnv: null,
    });
    const [bearer] = await steps(auth('{ type: bearer, token_env: INFRA_TEST_TOKEN }'));
    expect(bearer?.auth?.tokenEnv).toBe('INFRA_TEST_TOKEN');
  });

  it('with a token in it warns', async () => {
    const { playbook: loaded, diagnostics } = await load(auth('{ type: bearer, token: fake }'));
    expect(loaded?.steps[0]?.auth?.token).toBe('fake');
    expect(diagnostics).toMatchObject([{ code: 'INLINE_TOKEN', severity: 'warning' }]);
    expect(JSON.stringify(diagnostics)).not.toContain('fake');
  });

  it.each(['impersonate', 'quota_project', 'key_file', 'token_file', 'profile'])(
    "can't say whose authority is used: %s",
    async (key) => {
      expect(await error(auth(`{ type: gcp_adc, ${key}: x }`))).toMatch(
        new RegExp(`auth.${key} says whose authority.*config.yaml`),
      );
    },
  );

  it.each([
    ['gcp_org_admin', 'auth must be a mapping'],
    ['{}', 'MISSING_KEY: auth lacks the key "type"'],
    ['{ type: gcp-adc }', 'did you mean "gcp_adc"?'],
    ['{ type: service_account }', 'There is no auth type "service_account" in a playbook'],
    ['{ type: gcp_adc, scope: [a] }', 'did you mean "scopes"?'],
    ['{ type: gcp_adc, scopes: a }', 'auth.scopes'],
    ['{ type: gcp_adc, token: a }', 'belong to the type bearer'],
    ['{ type: bearer }', 'either a token_env or a token'],
    ['{ type: bearer, token: a, token_env: INFRA_X }', 'either a token_env or a token'],
    ['{ type: bearer, token_env: AWS_SECRET_ACCESS_KEY }', 'token_env does not name'],
    ['{ type: bearer, token_env: INFRA_EVENTLOG_TOKEN }', 'token_env does not name'],
    ['{ type: bearer, token_env: "INFRA_X Y" }', 'token_env does not name'],
  ])('is refused: %s', async (written, expected) => {
    expect(await error(auth(written))).toContain(expected);
  });
});

describe('endpoint', () => {
  const endpoint = (written: string) => playbook(projectStep('{}', 'p', `, endpoint: ${written}`));

  it.each([
    [
      'http://127.0.0.1:8089',
      {
        crm: 'http://127.0.0.1:8089/v3',
        billing: 'http://127.0.0.1:8089/v1',
        serviceusage: 'http://127.0.0.1:8089/v1',
      },
    ],
    [
      'http://mock/base/',
      { crm: 'http://mock/base/v3', billing: 'http://mock/base/v1', serviceusage: 'http://mock/base/v1' },
    ],
    ['{ crm: "http://mock/crm" }', { crm: 'http://mock/crm/v3', billing: null, serviceusage: null }],
    [
      '{ crm: "http://mock/v3", billing: "https://b/v1/" }',
      { crm: 'http://mock/v3', billing: 'https://b/v1', serviceusage: null },
    ],
  ])('%s', async (written, expected) => {
    expect((await steps(endpoint(written)))[0]?.endpoint).toEqual(expected);
  });

  it.each([
    ['ftp://x', 'must be an http or https URL'],
    ['mock', 'must be an http or https URL'],
    ['http://user:pw@x', 'has a user or a password'],
    ['http://x?a=1', "can't have a query"],
    ['[http://x]', 'must be a base URL or a mapping'],
    ['{ cmr: "http://x" }', 'did you mean "crm"?'],
    ['{ crm: 1 }', 'endpoint.crm must be an http or https URL'],
  ])('is refused: %s', async (written, expected) => {
    const found = await error(endpoint(written));
    expect(found).toContain(expected);
    expect(found).not.toContain('pw');
  });
});
