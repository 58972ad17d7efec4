import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RecordedRequest } from './options.ts';
import type { Query } from './wire/query-parameters.ts';

type Entry = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };

/** Every API request in the order of arrival; never a credential. */
export class RequestLog {
  readonly entries: Entry[] = [];

  /** Notes a request before it is answered; the caller sets the status when it is. */
  add(request: {
    method: string;
    path: string;
    query: Query;
    bodyText: string | undefined;
    headers: IncomingHttpHeaders;
  }): Entry {
    const entry: Entry = {
      method: request.method,
      path: request.path,
      query: withoutCredentials(request.query),
      body: parsed(request.bodyText),
      status: 0,
      headers: headersToKeep(request.headers),
    };
    this.entries.push(entry);
    return entry;
  }

  clear(): void {
    this.entries.length = 0;
  }
}

function withoutCredentials(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => !['access_token', 'oauth_token', 'key'].includes(name)),
  );
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function headersToKeep(headers: IncomingHttpHeaders): RecordedRequest['headers'] {
  const { authorization } = headers;
  const quotaProject = headers['x-goog-user-project'];
  const userAgent = headers['user-agent'];
  return {
    authorized: authorization !== undefined,
    ...(authorization === undefined ? {} : { authorizationDigest: digest(authorization) }),
    ...(typeof quotaProject === 'string' ? { 'x-goog-user-project': quotaProject } : {}),
    ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
