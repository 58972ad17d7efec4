import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, type Json, sha256Hex } from '../../src/core/json.ts';
import { isSensitiveKey, REDACTED, redact, redactForDigest } from '../../src/core/redaction.ts';

const WORDS = [
  'token',
  'authorization',
  'secret',
  'password',
  'passwd',
  'credential',
  'private_key',
  'client_secret',
  'api_key',
  'apikey',
  'access_key',
];

test.each(WORDS)('a key with %s in it, in any case, names a secret', (word) => {
  for (const key of [word, word.toUpperCase(), `my_${word}_1`]) {
    expect(isSensitiveKey(key)).toBe(true);
    expect(redact({ [key]: 'x', list: [{ [key]: { deep: 'x' } }] })).toEqual({
      [key]: REDACTED,
      list: [{ [key]: REDACTED }],
    });
  }
});

test('no secret survives, wherever its key stands, and nothing else is lost', () => {
  const secrets = fc.record({ client_secret: fc.constant('S3CRET'), Token: fc.constant(['S3CRET']) });
  const values = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<Json>(1, 'text', null, true),
      secrets,
      fc.array(tie('value')),
      fc.dictionary(fc.constantFrom('a', 'parent', 'name'), tie('value')),
    ),
  })).value;
  fc.assert(
    fc.property(values, (value) => {
      const text = JSON.stringify(redact(value));
      expect(text).not.toContain('S3CRET');
      expect(text.replaceAll(`"${REDACTED}"`, '')).toBe(
        JSON.stringify(value).replaceAll('["S3CRET"]', '').replaceAll('"S3CRET"', ''),
      );
      expect(JSON.stringify(redactForDigest(value))).not.toContain('S3CRET');
    }),
  );
});

test('label values, conditions and descriptions are public', () => {
  const value = {
    labels: { token: 'red', 'secret-santa': 'yes' },
    condition: { title: 't', expression: 'request.auth.token != null', secret: 'no' },
    description: 'where the password is explained',
  };
  expect(redact(value)).toEqual(value);
});

test('the credential of an auth block and of a fact is a name; elsewhere it is a secret', () => {
  const fact = { urn: 'u', verb: 'ensure', credential: 'gcp_org_admin' };
  const value = {
    auth: { credential: 'gcp_org_admin', token: 'x' },
    steps: [{ auth: { credential: 'a' } }],
    provider_fact: fact,
  };
  expect(redact(value)).toEqual({ ...value, auth: { credential: 'gcp_org_admin', token: REDACTED } });
  expect(redact({ credential: 'gcp_org_admin' })).toEqual({ credential: REDACTED });
  expect(redact({ auth: { credential: { private: 'x' } } })).toEqual({ auth: { credential: REDACTED } });
});

test('a schema can mark paths as public', () => {
  const value = { spec: [{ token_name: 'a' }, { token_name: 'b' }], token_name: 'c' };
  expect(redact(value, { publicPaths: ['spec.*.token_name'] })).toEqual({ ...value, token_name: REDACTED });
});

test('where nothing is said there is nothing to hide', () => {
  expect(redact({ token: null })).toEqual({ token: null });
});

test('in a digest the hash stands for the secret', () => {
  expect(redactForDigest({ password: { a: 1, b: 2 } })).toEqual({ password: sha256Hex(canonicalJson({ b: 2, a: 1 })) });
  expect(redactForDigest({ password: 'x' })).not.toEqual(redactForDigest({ password: 'y' }));
});
