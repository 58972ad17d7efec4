import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Act } from './loopback.ts';
import {
  CREATE,
  clientFor,
  ENABLE,
  errorBody,
  json,
  MOVE,
  READ,
  raw,
  reset,
  serve,
  silence,
  TOKEN,
} from './loopback.ts';

/** Answers that repeat the Authorization header in every place they have. */
const echoes: readonly (readonly [string, Act])[] = [
  ['a refusal', (request, response) => echo(request.headers.authorization ?? '')(request, response)],
  ['HTML', (request, response) => raw(403, `<html>${request.headers.authorization}</html>`)(request, response)],
  ['a redirect', (request, response) => raw(302, '', { location: `http://127.0.0.1/${TOKEN}` })(request, response)],
  ['a server error', (request, response) => raw(500, `${request.headers.authorization}`)(request, response)],
  [
    'a resource',
    (request, response) => json(200, { name: request.headers.authorization, [TOKEN]: 1 })(request, response),
  ],
  ['a reset', reset],
  ['silence', silence],
];

function echo(header: string): Act {
  const detail = {
    '@type': `x.${header}`,
    reason: header,
    metadata: { [header]: header },
    violations: [{ type: header, subject: header, description: header }],
  };
  const info = { ...detail, '@type': 'type.googleapis.com/google.rpc.ErrorInfo' };
  return json(400, errorBody(400, header, `${header} \\u0063 ${header.split('').join('\u200b')}`, detail, info));
}

describe('the token', () => {
  it.each(echoes)('is in nothing that comes back: %s', async (_what, act) => {
    const server = await serve(act);
    const client = clientFor(server, { limits: { requestMs: 40 } });
    for (const call of [READ, ENABLE, CREATE, MOVE]) {
      const result = await client.call(call);
      expect(inspect(result, { depth: 20 })).not.toContain(TOKEN);
      expect(JSON.stringify(result)).not.toContain(TOKEN);
    }
  });
});

describe('start-up', () => {
  it('loads undici and google-auth-library at the first use only', () => {
    const folder = path.resolve(import.meta.dirname, '../../../../src/providers/google');
    const eager = /^import (?!type\b)[^;]*from '(undici|google-auth-library)'/m;
    const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
    expect(files.filter((name) => eager.test(readFileSync(path.join(folder, name), 'utf8')))).toEqual([]);
  });
});
