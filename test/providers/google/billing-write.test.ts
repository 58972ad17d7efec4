import { describe, expect, it } from 'vitest';
import { ACCOUNT, apply, cloudOf, ORG, OTHER_ACCOUNT, sent } from './support/cloud.ts';
import { stepOf } from './support/steps.ts';

const link = (billing_account = ACCOUNT) =>
  stepOf('l', 'cloudbilling.projects.link', { project_id: 'acme-prod', billing_account });
const unlink = stepOf('l', 'cloudbilling.projects.unlink', { project_id: 'acme-prod', billing_account: ACCOUNT });
const free = { projects: [{ projectId: 'acme-prod', parent: ORG }] };
const linkedSeed = { projects: [{ projectId: 'acme-prod', parent: ORG, billingAccountName: ACCOUNT }] };
const PUT = { method: 'PUT', path: 'billingInfo$' };

describe('a billing link', () => {
  it('is made, and then is as desired', async () => {
    const cloud = await cloudOf({ seed: free });
    expect(await apply(cloud, link())).toMatchObject({
      kind: 'done',
      id: null,
      resource: { billingAccountName: ACCOUNT, billingEnabled: true },
      warnings: [],
    });
    expect(await apply(cloud, link())).toBeNull();
  });

  it('to a closed account stands, and that billing is not enabled is said', async () => {
    const cloud = await cloudOf({ seed: linkedSeed });
    expect(await apply(cloud, link(OTHER_ACCOUNT))).toMatchObject({
      kind: 'done',
      resource: { billingAccountName: OTHER_ACCOUNT },
      warnings: [{ code: 'BILLING_DISABLED', severity: 'warning', address: 'l' }],
    });
  });

  it('is cut, and then is absent', async () => {
    const cloud = await cloudOf({ seed: linkedSeed });
    expect(await apply(cloud, unlink)).toMatchObject({
      kind: 'done',
      resource: { billingAccountName: '' },
      warnings: [],
    });
    expect(sent(cloud, 'PUT', /billingInfo$/)[0]?.body).toEqual({ billingAccountName: '' });
    expect(await apply(cloud, unlink)).toBeNull();
  });

  it('is sent again after a lost answer, since twice is as once', async () => {
    const cloud = await cloudOf({ seed: free, faults: [{ ...PUT, nth: 1, action: { kind: 'resetAfter' } }] });
    expect(await apply(cloud, link())).toMatchObject({ kind: 'done' });
    expect(sent(cloud, 'PUT', /billingInfo$/)).toHaveLength(2);
  });

  it('is looked for when every answer is lost', async () => {
    const cloud = await cloudOf({ seed: free, faults: [{ ...PUT, action: { kind: 'resetAfter' } }] });
    expect(await apply(cloud, link())).toMatchObject({ kind: 'done', resource: { billingAccountName: ACCOUNT } });
    const never = await cloudOf({ seed: free, faults: [{ ...PUT, action: { kind: 'reset' } }] });
    expect(await apply(never, link())).toMatchObject({ kind: 'uncertain' });
  });

  it('is not believed when the answer shows another account', async () => {
    const cloud = await cloudOf({
      seed: free,
      faults: [
        {
          ...PUT,
          action: {
            kind: 'respond',
            status: 200,
            body: { name: 'projects/acme-prod/billingInfo', projectId: 'acme-prod', billingAccountName: OTHER_ACCOUNT },
          },
        },
      ],
    });
    expect(await apply(cloud, link())).toMatchObject({ kind: 'failed', why: { code: 'INVALID_RESPONSE' } });
  });

  it("beyond the account's cap fails with what to do (D1)", async () => {
    const cloud = await cloudOf({
      seed: { projects: [...free.projects, { projectId: 'other-prod', parent: ORG, billingAccountName: ACCOUNT }] },
      knobs: { billingProjectCap: 1 },
    });
    expect(await apply(cloud, link())).toMatchObject({
      kind: 'failed',
      why: { code: 'BILLING_CAP', hint: expect.stringContaining('billing_quota_increase') },
    });
  });
});
