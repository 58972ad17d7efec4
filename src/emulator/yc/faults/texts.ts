import { ClientFailure, FlagFailure, RPC_CODES, type RpcCode, RpcFailure } from '../cli/failures.ts';
import { type ReportContext, reportFailure, reportLogin, reportRpc } from '../cli/report.ts';
import type { FakeYcFailureName } from '../options.ts';
import { recordFailure } from '../resources/operation.ts';
import type { World } from '../world/world.ts';

export interface FailureContext extends ReportContext {
  readonly world: World;
  readonly argv: readonly string[];
}

const OAUTH_END =
  "rpc error: code = InvalidArgument desc = OAuth token for user 'aje00000000000000001', issued after '2026-06-01', is not supported for IAM token exchange";

const TEXTS: Readonly<Record<FakeYcFailureName, (context: FailureContext) => string>> = {
  address_in_use: rpc('FailedPrecondition', 'Address in use'),
  deadline: rpc('DeadlineExceeded', 'context deadline exceeded'),
  missing_rule_port: client('for rule spec port or [from/to]-port fields is required'),
  oauth_end_of_life: login(`iam token create failed: ${OAUTH_END}`),
  operation_failed: operationFailed,
  permission_denied: rpc('PermissionDenied', 'Permission denied'),
  quota: rpc('ResourceExhausted', 'Quota limit vpc.networks.count exceeded'),
  throttled: rpc('ResourceExhausted', 'Request rate limit exceeded'),
  token_invalid: rpc('Unauthenticated', 'The token is invalid'),
  unauthenticated: login('iam token create failed: OAuth token is invalid or expired'),
  unavailable: rpc('Unavailable', 'connection error: desc = "transport: Error while dialing: connection refused"'),
  unknown_error: () => 'ERROR: Unknown error\n',
  // The flag that is refused is one that was really given, as it would be with an older program.
  unknown_flag: (context) =>
    reportFailure(new FlagFailure(`unknown flag: ${firstOwnFlag(context.argv)}`), context) ?? '',
};

export function failureText(name: FakeYcFailureName, context: FailureContext): string {
  return TEXTS[name](context);
}

function rpc(code: RpcCode, text: string): (context: FailureContext) => string {
  return (context) => reportFailure(new RpcFailure(code, text), context) ?? '';
}

function login(text: string): (context: FailureContext) => string {
  return (context) => reportLogin(`rpc error: code = Unauthenticated desc = ${text}`, context);
}

function client(text: string): (context: FailureContext) => string {
  return (context) => reportFailure(new ClientFailure(text), context) ?? '';
}

function operationFailed(context: FailureContext): string {
  const text = 'Internal error';
  const id = recordFailure(context.world, RPC_CODES.Internal, text);
  return reportRpc(`operation (id=${id}) failed: rpc error: code = Internal desc = ${text}`, context);
}

function firstOwnFlag(argv: readonly string[]): string {
  const flags = argv.filter((word) => word.startsWith('--') && word !== '--folder-id' && word !== '--profile');
  return (flags[0] ?? '--name').split('=')[0] ?? '--name';
}
