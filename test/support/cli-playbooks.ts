/** One folder under an organisation. */
export const FOLDER_PLAYBOOK = `apiVersion: infra/v1
metadata: { name: one-folder }
workload: { name: shared }
defaults:
  reconcile: enforce
  auth: { type: gcp_adc }
workflow:
  - step: shared
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, input: { parent: organizations/123456789012, display_name: "{{ workload.name }}" } }
`;

/** Folders below one another, against an endpoint, so that they are made one after the other. */
export function chainPlaybook(url: string, length: number): string {
  const steps = Array.from({ length }, (_, index) => {
    const parent = index === 0 ? 'organizations/123456789012' : `"{{ steps.f${index - 1}.resource.name }}"`;
    return `  - step: f${index}
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, input: { parent: ${parent}, display_name: folder-${index} } }`;
  });
  return `apiVersion: infra/v1
metadata: { name: chain }
defaults:
  stack: chain
  reconcile: enforce
  endpoint: ${url}
  auth: { type: bearer, token_env: INFRA_TEST_TOKEN }
workflow:
${steps.join('\n')}
`;
}
