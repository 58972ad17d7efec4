/** The URNs by which the log knows one of the cloud's own ids. */
export type UrnsOf = (id: string) => readonly string[];

export const PROJECT_URN = 'google:cloudresourcemanager:project:';
const NUMBER = /^\d+$/;

/** The id of a project that may be named by its number; what the log does not tell stays as it is written. */
export function projectIdOf(project: string, urnsOf: UrnsOf): string {
  if (!NUMBER.test(project)) return project;
  const ids = urnsOf(`projects/${project}`).flatMap((urn) =>
    urn.startsWith(PROJECT_URN) ? [urn.slice(PROJECT_URN.length)] : [],
  );
  return ids.find((id) => !NUMBER.test(id)) ?? project;
}

/** A name that may be a project's, by its id. */
export function byProjectId(name: string, urnsOf: UrnsOf): string {
  const [, number] = /^projects\/(\d+)$/.exec(name) ?? [];
  return number === undefined ? name : `projects/${projectIdOf(number, urnsOf)}`;
}

/** A URN that names a project behind one of these beginnings, by the project's id. */
export function urnByProjectId(urn: string, beginnings: readonly string[], urnsOf: UrnsOf): string {
  const before = beginnings.find((beginning) => urn.startsWith(beginning));
  if (before === undefined) return urn;
  const [project = ''] = urn.slice(before.length).split('/', 1);
  return NUMBER.test(project) ? before + projectIdOf(project, urnsOf) + urn.slice(before.length + project.length) : urn;
}
