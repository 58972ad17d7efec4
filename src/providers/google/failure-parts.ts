import * as z from 'zod/mini';
import type { JsonObject } from '../../core/json.ts';
import { isJsonObject } from '../../core/json.ts';
import type { ApiFailure } from './client.ts';
import type { Scrub } from './vendor-text.ts';
import { vendorText } from './vendor-text.ts';

/** A refusal taken apart, before it is decoded. All texts are fit to show. */
export interface FailureParts extends Omit<ApiFailure, 'diagnostic'> {
  /** BadRequest.fieldViolations. */
  readonly fields: readonly { readonly field: string; readonly description: string }[];
  /** A QuotaFailure is among the details. */
  readonly quotaFailure: boolean;
  /** RetryInfo.retryDelay in milliseconds; null where there is none. */
  readonly retryDelayMs: number | null;
}

const text = z.catch(z.string(), '');
const list = <T extends z.ZodMiniType>(item: T) => z.catch(z.array(item), []);
const strings = z.catch(z.record(z.string(), z.catch(z.string(), '')), {});

/** google.rpc.Status as it stands in the envelope (with `status`) and inside an operation (numeric `code`). */
const statusSchema = z.object({
  code: z.catch(z.number(), 0),
  message: text,
  status: z.catch(z.nullable(z.string()), null),
  details: z.catch(z.array(z.unknown()), []),
});
type WireStatus = z.infer<typeof statusSchema>;

const detailSchema = z.object({
  '@type': text,
  reason: text,
  metadata: strings,
  violations: list(z.object({ type: text, subject: text, description: text })),
  fieldViolations: list(z.object({ field: text, description: text })),
  retryDelay: text,
  /** ProjectIamPolicyError. */
  type: text,
  member: text,
  role: text,
});
type Detail = z.infer<typeof detailSchema>;

const MAX_DETAILS = 20;
const MAX_VIOLATIONS = 20;
const MAX_METADATA = 40;
const MAX_PART = 300;

/** The `error` of Google's envelope; null where the body isn't that envelope. */
export function readEnvelope(body: unknown): WireStatus | null {
  if (!isJsonObject(body) || !isJsonObject(body['error'])) return null;
  return readStatus(body['error']);
}

export function readStatus(status: JsonObject): WireStatus | null {
  const parsed = statusSchema.safeParse(status);
  return parsed.success && (parsed.data.code !== 0 || parsed.data.message !== '') ? parsed.data : null;
}

/** Takes a status apart; `http` and `canonical` are what the caller derived them to be. */
export function takeApart(wire: WireStatus, http: number, canonical: string | null, scrub: Scrub): FailureParts {
  const raw = wire.details.filter(isJsonObject).slice(0, MAX_DETAILS);
  const details = raw.map((item) => detailSchema.parse(item));
  const show = (value: string) => vendorText(value, scrub, MAX_PART);
  const info = details.find((item) => typeOf(item) === 'ErrorInfo');
  return {
    status: http,
    canonical,
    reason: info === undefined || info.reason === '' ? null : show(info.reason),
    message: vendorText(wire.message, scrub),
    metadata: showMetadata(info?.metadata ?? {}, show),
    violations: details.flatMap((item) => showViolations(item, show)).slice(0, MAX_VIOLATIONS),
    details: raw.map((item) => scrubObject(item, scrub)),
    fields: details
      .flatMap((item) => item.fieldViolations)
      .slice(0, MAX_VIOLATIONS)
      .map((item) => ({
        field: show(item.field),
        description: show(item.description),
      })),
    quotaFailure: details.some((item) => typeOf(item) === 'QuotaFailure'),
    retryDelayMs: retryDelayOf(details),
  };
}

function typeOf(detail: Detail): string {
  return detail['@type'].split('.').at(-1) ?? '';
}

function showMetadata(metadata: Record<string, string>, show: (value: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata)
      .slice(0, MAX_METADATA)
      .map(([key, value]) => [show(key), show(value)]),
  );
}

function showViolations(detail: Detail, show: (value: string) => string): ApiFailure['violations'] {
  if (typeOf(detail) === 'ProjectIamPolicyError') {
    return [{ type: show(detail.type), subject: show(detail.member), description: show(detail.role) }];
  }
  const fallback = typeOf(detail) === 'QuotaFailure' ? 'QUOTA' : '';
  return detail.violations.map((item) => ({
    type: show(item.type === '' ? fallback : item.type),
    subject: show(item.subject),
    description: show(item.description),
  }));
}

function retryDelayOf(details: readonly Detail[]): number | null {
  const delay = details.find((item) => typeOf(item) === 'RetryInfo')?.retryDelay ?? '';
  const seconds = /^(\d{1,6}(?:\.\d{1,9})?)s$/.exec(delay)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

function scrubObject(value: JsonObject, scrub: Scrub): JsonObject {
  const clean: unknown = JSON.parse(scrub(JSON.stringify(value)));
  return isJsonObject(clean) ? clean : {};
}
