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

/** A URN that names a project by its number. */
export interface NumberedUrn {
  readonly before: string;
  readonly number: string;
  readonly after: string;
}

/** Where a URN names a project by its number, behind one of these beginnings; null: it does not. */
export function numberIn(urn: string, beginnings: readonly string[]): NumberedUrn | null {
  const before = beginnings.find((beginning) => urn.startsWith(beginning));
  const [, number, after] = /^(\d+)(|\/.*)$/s.exec(urn.slice(before?.length)) ?? [];
  return before === undefined || number === undefined || after === undefined ? null : { before, number, after };
}
