import { expect, it } from 'vitest';
import { googleSource } from '../../../../src/providers/google/auth.ts';

it.each([
  ['is no key at all', 'garbage'],
  ['is cut short', '-----BEGIN PRIVATE KEY-----\nMIIEvQ==\n-----END PRIVATE KEY-----\n'],
])('a private key that %s is not worth another try', async (_, key) => {
  const source = googleSource({
    file: { type: 'service_account', client_email: 'a@b.iam.gserviceaccount.com', private_key: key },
    description: 'service account key',
    scopes: ['https://www.googleapis.com/auth/cloud-platform'],
    impersonate: null,
    exchange: async () => {
      throw new Error('nothing is to be sent');
    },
  });
  const result = await source.token();
  expect(result).toMatchObject({ kind: 'failed', why: { code: 'AUTHENTICATION', retryable: false } });
});
