const ORG = '123456789012';

/** A playbook with every step written out: five APIs a project. About 350 bytes a step. */
export function writtenOut(steps) {
  const written = Array.from({ length: steps }, (_, index) => {
    const project = `acme-project-${String(Math.floor(index / 5)).padStart(5, '0')}`;
    return `  - step: api_${index}
    desc: API ${index % 5} of ${project}
    tool:
      kind: provider
      provider: google
      action: google.serviceusage.services.enable
      reconcile: enforce
      stack: bench
      input:
        project_id: ${project}
        service_name: service${index % 5}.googleapis.com
`;
  });
  return `${head('written-out')}workflow:\n${written.join('')}`;
}

/** The same steps from one loop over the projects. */
export function looped(steps) {
  const projects = Array.from(
    { length: Math.ceil(steps / 5) },
    (_, index) => `acme-project-${String(index).padStart(5, '0')}`,
  );
  const services = Array.from({ length: 5 }, (_, index) => `service${index}.googleapis.com`);
  return `${head('looped')}workload: { projects: [${projects.join(', ')}] }
workflow:
  - step: apis
    loop: { in: "{{ workload.projects }}", iterator: project }
    tool:
      kind: provider
      provider: google
      action: google.serviceusage.services.enable
      reconcile: enforce
      stack: bench
      input: { project_id: "{{ iter.project }}", services: [${services.join(', ')}] }
`;
}

/** Folders, projects in them and services in those, all as the seed of the emulator has them. */
export function organisation(origin, folders, projectsEach, services) {
  return `${head('organisation')}workload: { folders: [${folders.join(', ')}], projects: [${projectsOf(
    folders,
    projectsEach,
  )
    .map(({ id, folder }) => `{ id: ${id}, folder: ${folder} }`)
    .join(', ')}] }
defaults:
  stack: bench
  reconcile: enforce
  endpoint: ${origin}
  auth: { type: bearer, token_env: INFRA_BENCH_TOKEN }
workflow:
  - step: folders
    loop: { in: "{{ workload.folders }}", iterator: name }
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.folders.ensure, input: { parent: organizations/${ORG}, display_name: "{{ iter.name }}" } }
  - step: projects
    loop: { in: "{{ workload.projects }}", iterator: project }
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.projects.ensure, input: { project_id: "{{ iter.project.id }}", organization: organizations/${ORG}, parent: "folders/by-display-name/{{ iter.project.folder }}" } }
  - step: apis
    loop: { in: "{{ workload.projects }}", iterator: project }
    tool: { kind: provider, provider: google, action: google.serviceusage.services.enable, input: { project_id: "{{ iter.project.id }}", services: [${services.join(', ')}] } }
`;
}

/** The world in which a plan of `organisation` has nothing to do. */
export function organisationSeed(folders, projectsEach, services) {
  const numberOf = (index) => String(700_000_000_000 + index);
  return {
    organizations: [{ id: ORG, displayName: 'bench.example' }],
    folders: folders.map((displayName, index) => ({
      id: numberOf(index),
      displayName,
      parent: `organizations/${ORG}`,
    })),
    projects: projectsOf(folders, projectsEach).map(({ id, folder }) => ({
      projectId: id,
      parent: `folders/${numberOf(folders.indexOf(folder))}`,
      services,
    })),
    knownServices: services,
  };
}

function projectsOf(folders, each) {
  return folders.flatMap((folder, index) =>
    Array.from({ length: each }, (_, number) => ({ id: `bench-${index}-${String(number).padStart(4, '0')}`, folder })),
  );
}

/** Many grants on the policy of one organisation. */
export function grants(origin, count) {
  return `${head('grants')}workload: { members: [${Array.from({ length: count }, (_, index) => `"user:person${index}@example.com"`).join(', ')}] }
defaults:
  stack: bench
  reconcile: enforce
  endpoint: ${origin}
  auth: { type: bearer, token_env: INFRA_BENCH_TOKEN }
workflow:
  - step: viewers
    loop: { in: "{{ workload.members }}", iterator: member }
    tool: { kind: provider, provider: google, action: google.cloudresourcemanager.organizations.iam.ensure_binding, input: { organization: organizations/${ORG}, role: roles/viewer, member: "{{ iter.member }}" } }
`;
}

function head(name) {
  return `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${name} }\n`;
}
