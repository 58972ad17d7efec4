import { ApiError } from '../wire/errors.ts';
import { stringAt } from '../wire/json.ts';
import type { Call } from '../wire/route.ts';

/** 409 when the caller saw another generation of the resource. */
export function checkResourceEtag(call: Call, current: string): void {
  const sent = stringAt(call.body, 'etag');
  if (sent !== undefined && sent !== '' && sent !== current) {
    throw new ApiError(
      'ABORTED',
      'There were concurrent changes to the resource. Please retry the whole read-modify-write.',
    );
  }
}
