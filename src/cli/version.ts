declare const INFRA_VERSION: string | undefined;

/** The package's version, put in by the build; the sources run by themselves (in tests) have none. */
export const VERSION: string = typeof INFRA_VERSION === 'string' ? INFRA_VERSION : '0.0.0-source';

/** How it names itself to servers. */
export const AGENT = `infra/${VERSION}`;
