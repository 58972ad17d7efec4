import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ORG_ID, shapeOf } from '../support/safety/foundation.ts';
import { Site, until } from '../support/safety/site.ts';

const open: Site[] = [];
afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function siteOf(): Promise<Site> {
  const site = await Site.open();
  open.push(site);
  return site;
}

/** A stack of its own: folders of its own, and a grant on the policy that all share. */
function stackPlaybook(url: string, stack: string): string {
  return `apiVersion: infra/v1
metadata: { name: ${stack} }
defaults:
  stack: ${stack}
  reconcile: enforce
  endpoint: ${url}
  auth: { type: bearer, token_env: INFRA_TEST_TOKEN }
  poll: { interval_ms: 1 }
  guard: { require_org: organizations/${ORG_ID} }
workflow:
  - step: folders
    loop: { in: "{{ ['one', 'two', 'three'] }}", iterator: name }
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.folders.ensure
      input: { parent: organizations/${ORG_ID}, display_name: "${stack}-{{ iter.name }}" }
  - step: grants
    loop: { in: "{{ ['roles/browser', 'roles/viewer'] }}", iterator: role }
    tool:
      kind: provider
      provider: google
      action: google.cloudresourcemanager.organizations.iam.ensure_binding
      input: { organization: organizations/${ORG_ID}, role: "{{ iter.role }}", member: "group:${stack}@example.com" }
`;
}

describe('two applies of one stack', () => {
  it('the second is refused while the first one runs, and says who holds the lock and since when', async () => {
    const site = await siteOf();
    const digest = await site.plan();
    site.emulator.addFault({ method: 'POST', path: '/v3/folders', nth: 1, action: { kind: 'hang' } });
    const first = site.start(['apply', '--confirm', digest, '--parallelism', '1']);
    await until(
      () => site.emulator.requests.some(({ method, path }) => method === 'POST' && path === '/v3/folders'),
      'the first apply writes',
    );
    const before = site.emulator.requests.length;
    const second = await site.run(['apply', '--confirm', digest, '--format', 'json']);
    expect(second.code).toBe(5);
    expect(second.stderr).toMatch(/LOCK_HELD/);
    expect(second.stderr.replace(/\s+/g, ' ')).toMatch(
      new RegExp(`pid ${first.child.pid}\\b.*since \\d{4}-\\d\\d-\\d\\dT`),
    );
    expect(JSON.parse(second.stdout)).toMatchObject({ error: true, diagnostics: [{ code: 'LOCK_HELD' }] });
    expect(site.emulator.requests.length).toBe(before);
    const id = /lock ([0-9a-f]{12})/.exec(second.stderr)?.[1] ?? '';
    const unlocked = await site.run(['unlock', id]);
    expect(unlocked.code).toBe(5);
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await site.run(['unlock', id])).code).toBe(0);
  });

  it('the second waits with --lock-timeout, and finds everything done', async () => {
    const site = await siteOf();
    const digest = await site.plan();
    site.emulator.addFault({ method: 'POST', path: '/v3/folders', nth: 1, action: { kind: 'delay', delayMs: 400 } });
    const first = site.start(['apply', '--confirm', digest]);
    await until(() => site.locks().some((name) => name.startsWith('stack-')), 'the first apply locks');
    const second = await site.run(['apply', '--confirm', digest, '--lock-timeout', '15s', '--format', 'json']);
    expect([(await first.ended).code, second.code]).toEqual([0, 0]);
    expect((JSON.parse(second.stdout) as { summary: { changed: number } }).summary.changed).toBe(0);
    await site.log().verify();
    expect(site.locks().filter((name) => name.startsWith('stack-'))).toEqual([]);
  });
});

describe('two stacks at once', () => {
  it('on one log and one policy: both are done, and the chain is whole', async () => {
    const site = await siteOf();
    const stacks = ['alpha', 'beta', 'gamma'];
    for (const stack of stacks)
      writeFileSync(join(site.folder, `${stack}.yaml`), stackPlaybook(site.emulator.url, stack));
    const digests = await Promise.all(stacks.map((stack) => site.plan(`${stack}.yaml`)));
    const ends = await Promise.all(
      digests.map((digest) => site.run(['apply', '--confirm', digest, '--format', 'json'])),
    );
    expect(ends.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', '', '']);
    await site.log().verify();
    expect(site.rows().map((row) => row['global_sequence'])).toEqual(site.rows().map((_row, index) => index + 1));
    const { model, openIntents } = await site.log().read(site.emulator.url);
    expect([model.owned.size, openIntents.length]).toEqual([15, 0]);
    const { folders, policies } = shapeOf(site.emulator.snapshot());
    expect(folders).toHaveLength(9);
    const policy = JSON.stringify(policies[`organizations/${ORG_ID}`]);
    for (const stack of stacks) expect(policy.split(`group:${stack}@example.com`)).toHaveLength(3);
    expect(policy).toContain('deleted:user:gone@example.com?uid=1');
    for (const stack of stacks)
      expect((await site.run(['plan', `${stack}.yaml`, '--detailed-exitcode', '--no-save'])).code).toBe(0);
  });
});
