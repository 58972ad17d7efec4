import { expect, it } from 'vitest';
import { openCloud } from '../../support/e2e/cloud.ts';

const step = (name: string, action: string, input: string, more = '') => `  - step: ${name}
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.${action}, ${more}input: { ${input} } }
`;
const PROJECTS = 'projects.ensure';
const ORG = 'organizations/123456789012';

it('tells the mistakes of the playbook and those of inputs in one run', async () => {
  const cloud = await openCloud();
  cloud.writeText(
    'playbook.yaml',
    `apiVersion: infra/v1
metadata: { name: both-kinds }
defaults:
  endpoint: ${cloud.emulator.url}
  auth: { type: bearer, token_env: INFRA_TEST_TOKEN }
workflow:
${step('"bad[name]"', 'folders.ensure', `parent: ${ORG}, display_name: a`)}${step('undefined_variable', 'folders.ensure', `parent: ${ORG}, display_name: "{{ workload.nothing }}"`)}${step('bad_id', PROJECTS, `parent: ${ORG}, project_id: BAD`)}${step('unknown_key', PROJECTS, `parent: ${ORG}, project_id: acme-web-1, colour: red`)}${step('unknown_tool_key', 'folders.ensure', `parent: ${ORG}, display_name: c`, 'stacks: x, ')}${step('worse_id', PROJECTS, `parent: ${ORG}, project_id: "no dots."`)}${step('waits', 'folders.ensure', 'parent: "{{ steps.undefined_variable.resource.name }}", display_name: d')}${step('right', 'folders.ensure', `parent: ${ORG}, display_name: eastern`)}`,
  );
  for (const verb of ['plan', 'exec', 'drift']) {
    const { code, failure } = await cloud.fail([verb, 'playbook.yaml', '--emulator']);
    expect(code).toBe(3);
    const errors = failure.diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code: name, source }) => `${source?.line} ${name}`)).toEqual([
      '7 INVALID_VALUE',
      '10 TEMPLATE_UNDEFINED',
      '12 INVALID_VALUE',
      '14 UNKNOWN_KEY',
      '16 UNKNOWN_KEY',
      '18 INVALID_VALUE',
    ]);
  }
  expect(cloud.requests).toEqual([]);
});
