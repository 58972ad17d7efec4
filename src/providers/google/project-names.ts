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
  const [id, ...others] = new Set(ids.filter((name) => !NUMBER.test(name)));
  // Several projects can't have one number: such a log does not tell whose it is.
  return id === undefined || others.length > 0 ? project : id;
}

/** A name that may be a project's, by its id. */
export function byProjectId(name: string, urnsOf: UrnsOf): string {
  const [, number] = /^projects\/(\d+)$/.exec(name) ?? [];
  return number === undefined ? name : `projects/${projectIdOf(number, urnsOf)}`;
}

/** A URN that names a project, by its number or by its id. */
export interface ProjectUrn {
  readonly before: string;
  readonly project: string;
  readonly isNumber: boolean;
  readonly after: string;
}

/** Where a URN names a project, behind one of these beginnings; null: it does not. */
export function projectIn(urn: string, beginnings: readonly string[]): ProjectUrn | null {
  const before = beginnings.find((beginning) => urn.startsWith(beginning));
  const [, project, after] = /^([^/]+)(|\/.*)$/s.exec(urn.slice(before?.length)) ?? [];
  return before === undefined || project === undefined || after === undefined
    ? null
    : { before, project, isNumber: NUMBER.test(project), after };
}
