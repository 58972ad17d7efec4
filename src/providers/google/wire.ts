import * as z from 'zod/mini';
import type { JsonObject } from '../../core/json.ts';

/** What infra relies on in an answer; unknown members are kept, absent ones mean the zero value (gcp-rest 2). */
const folder = z.looseObject({
  name: z.string().check(z.regex(/^folders\/\d+$/)),
  parent: z.optional(z.string()),
  displayName: z.optional(z.string()),
  state: z.optional(z.string()),
});
const project = z.looseObject({
  name: z.string().check(z.regex(/^projects\/\d+$/)),
  projectId: z.string().check(z.minLength(1)),
  parent: z.optional(z.string()),
  displayName: z.optional(z.string()),
  state: z.optional(z.string()),
  labels: z.optional(z.record(z.string(), z.string())),
});
const organization = z.looseObject({
  name: z.string().check(z.regex(/^organizations\/\d+$/)),
  displayName: z.optional(z.string()),
});
const billingAccount = z.looseObject({
  name: z.string().check(z.minLength(1)),
  open: z.optional(z.boolean()),
  parent: z.optional(z.string()),
  masterBillingAccount: z.optional(z.string()),
});
const billingInfo = z.looseObject({
  projectId: z.optional(z.string()),
  billingAccountName: z.optional(z.string()),
  billingEnabled: z.optional(z.boolean()),
});
const enabledService = z.looseObject({ name: z.string().check(z.minLength(1)), state: z.optional(z.string()) });
const policy = z.looseObject({
  etag: z.optional(z.string()),
  version: z.optional(z.number()),
  bindings: z.optional(z.array(z.unknown())),
});
const lien = z.looseObject({ name: z.string().check(z.minLength(1)) });

const SHAPES = { folder, project, organization, billingAccount, billingInfo, enabledService, policy, lien };

export type Shape = keyof typeof SHAPES;

/** Whether an answer has the shape that its API promises; the answer itself is passed on untouched. */
export function hasShape(shape: Shape, body: JsonObject): boolean {
  return SHAPES[shape].safeParse(body).success;
}
