import type { CodeEntry, Diagnostic, DiagnosticFields, Fault, Severity } from './diagnostics.ts';

function entry(fault: Fault, summary: string, explanation: string, severity: Severity = 'error'): CodeEntry {
  return { fault, summary, explanation, severity };
}
const warn = (summary: string, explanation: string) => entry('usage', summary, explanation, 'warning');
const note = (summary: string, explanation: string) => entry('usage', summary, explanation, 'note');

/** Every diagnostic code there is. docs/errors.md and `infra explain` are made from this table. */
export const CODES = {
  // --- the command line and its files ---
  USAGE: entry(
    'usage',
    'The command line is not valid',
    'A flag, an argument or a combination of them is not accepted. `--help` shows what is.',
  ),
  CONFIG_INVALID: entry(
    'usage',
    'The configuration is not valid',
    "infra.yaml or config.yaml has a key or a value that is not accepted there. infra.yaml may be a stranger's: whose authority is used comes from the caller's own config.yaml, flags or environment.",
  ),
  FILE_UNREADABLE: entry(
    'usage',
    'A file could not be read',
    'The file is missing, is a folder, may not be read, is not UTF-8 text or is too large.',
  ),
  LOG_READ_ONLY: entry(
    'usage',
    'The event log can only be read',
    'A verb that writes facts needs a writable log: a path, a file: URL or a postgres:// URL.',
  ),
  NOT_AVAILABLE: entry(
    'usage',
    'Not available in this version',
    'The command or option is known but not part of this version.',
  ),
  // --- playbooks ---
  YAML_INVALID: entry(
    'usage',
    'The YAML is not valid',
    'The text is not one YAML document that a playbook can be read from.',
  ),
  YAML_LIMIT: entry(
    'usage',
    'The YAML exceeds a limit',
    'Text, depth, aliases or the number of steps exceed what infra accepts, so that a file can never hang it.',
  ),
  DUPLICATE_KEY: entry(
    'usage',
    'A key stands twice',
    'A mapping has the same key twice. Which one counts would be a guess.',
  ),
  UNKNOWN_KEY: entry('usage', 'An unknown key', 'The key has no meaning here. The hint names the nearest known one.'),
  MISSING_KEY: entry('usage', 'A required key is missing', 'The mapping lacks a key that it must have.'),
  INVALID_VALUE: entry('usage', 'A value is not valid', 'The value is of the wrong type or outside what is accepted.'),
  UNKNOWN_ACTION: entry(
    'usage',
    'An unknown action',
    'The action is not one that the provider has. docs/actions.md lists them.',
  ),
  UNKNOWN_PROVIDER: entry(
    'usage',
    'An unknown provider',
    'Providers are google and yandex; aws and azure are reserved.',
  ),
  PROVIDER_NOT_IMPLEMENTED: entry(
    'usage',
    'The provider is not implemented',
    'aws and azure are reserved names without a backend.',
  ),
  DUPLICATE_STEP: entry(
    'usage',
    'Two steps have the same address',
    'Step names are unique, and so are the keys of a loop.',
  ),
  DUPLICATE_URN: entry(
    'usage',
    'Two steps manage the same resource',
    'One resource may be managed by one unheld step only.',
  ),
  UNKNOWN_STEP: entry(
    'usage',
    'A reference to an unknown step',
    'depends_on, next, a target or a template names a step that is not in the playbook.',
  ),
  CYCLE: entry(
    'usage',
    'The steps depend on each other in a circle',
    'No order can satisfy these dependencies; the detail prints the circle.',
  ),
  TEMPLATE_INVALID: entry(
    'usage',
    'A template is not valid',
    'Only expressions with the allowed filters and tests are accepted, without calls and statements.',
  ),
  TEMPLATE_UNDEFINED: entry(
    'usage',
    'A template uses something undefined',
    'Unknown variables and attributes are errors. Use `| default(...)` where absence is meant.',
  ),
  TEMPLATE_LIMIT: entry(
    'usage',
    'A template exceeds its budget',
    'Expressions are bounded in length, steps and output.',
  ),
  TEMPLATE_DECIDES: entry(
    'usage',
    'A template decides on something known only after apply',
    'A result that is not known at plan time can be passed on whole or inside a string, and nothing else.',
  ),
  STATIC_REQUIRED: entry(
    'usage',
    'A value must be known before anything runs',
    'Loop lists and everything that forms a URN come from literals, workload and env.',
  ),
  CONDITIONAL_ROUTE: entry(
    'usage',
    'A conditional arc or admission rule',
    "infra plans every step at once; a condition at run time can't be reviewed. Choose with `--set`, a loop or `--target`.",
  ),
  GUARD_CONTRADICTION: entry(
    'usage',
    'Guards contradict each other',
    'The step, defaults, infra.yaml and the caller pin different targets. A playbook can only tighten a guard.',
  ),
  INPUT_CONFLICT: entry(
    'usage',
    'Two spellings of one input differ',
    'Aliases of an input may stand together only with the same value.',
  ),
  STEP_SKIPPED: note(
    'A step is skipped',
    "The step is not run by infra: it is not a provider step, can't be reached, or was not selected.",
  ),
  KEY_IGNORED: note('A key is accepted and ignored', 'The key belongs to NoETL and has no effect here.'),
  CREDENTIAL_NAME_UNUSED: note(
    'A credential name is not configured',
    'No credentials are configured by the caller, so the name beside a complete auth type has no effect.',
  ),
  INLINE_TOKEN: warn(
    'A token stands in the playbook',
    'A playbook is no place for a secret. Use token_env or a named credential.',
  ),
  FORMAT_WARNING: warn(
    'Google would refuse this value',
    'The value breaks a format rule of Google. With an endpoint override or in a dry run this is a warning.',
  ),
  // --- authentication and where credentials go ---
  AUTH_REQUIRED: entry(
    'auth',
    'No auth was given',
    'A real call needs an explicit auth block; there is no ambient fallback.',
  ),
  AUTHENTICATION: entry(
    'auth',
    'Authentication failed',
    'No usable credential could be obtained, or the cloud did not accept it.',
  ),
  PERMISSION_DENIED: entry(
    'auth',
    'Permission denied',
    'The cloud refused the call for this identity, or the resource does not exist: Google answers both alike.',
  ),
  QUOTA_PROJECT: entry(
    'auth',
    "The quota project can't be used",
    'Calls are billed to a quota project; it lacks the API, or the caller may not use it.',
  ),
  UNKNOWN_CREDENTIAL: entry(
    'usage',
    'An unknown credential',
    "The name is not among the caller's configured credentials.",
  ),
  ENDPOINT_NOT_ALLOWED: entry(
    'refused',
    'An endpoint that the caller did not allow',
    "A playbook's endpoint takes effect only where the caller allows its origin with --allow-endpoint.",
  ),
  CREDENTIAL_MISDIRECTED: entry(
    'refused',
    'A credential would go where it must not',
    "Real credentials go to Google's API hosts over verified TLS only.",
  ),
  // --- refusals ---
  GUARD: entry(
    'refused',
    'The guard refuses this target',
    'The step refers to, or the cloud shows, another organisation or billing account than the pinned one.',
  ),
  CONFIRM_REQUIRED: entry(
    'refused',
    'A confirmation is required',
    'Nothing is changed without the digest of a reviewed plan.',
  ),
  DIGEST_STALE: entry(
    'refused',
    'The confirmed plan no longer holds',
    "The playbook, the cloud or the log changed since the review, or the digest is another plan's. Nothing was sent.",
  ),
  PLAN_TOO_OLD: entry(
    'refused',
    'The confirmed plan is too old',
    'The plan was made longer ago than --max-age allows.',
  ),
  STALE: entry(
    'refused',
    'The resource changed since the plan',
    'What was about to change is no longer what the plan saw. It was not touched.',
  ),
  BLOCKED: entry('refused', 'The step is blocked', 'Something it needs is missing, failed, uncertain or held.'),
  AMBIGUOUS: entry(
    'refused',
    'More than one resource matches',
    'The name fits several live resources; infra does not choose.',
  ),
  PROTECTED: entry('refused', 'The resource is protected', 'A fact or the step says protect: true.'),
  NOT_OURS: entry(
    'refused',
    'The resource is not owned by this stack',
    'The log does not show that this stack created or adopted it.',
  ),
  SELF_LOCKOUT: entry(
    'refused',
    'The change would lock the caller out',
    'The last grant by which the caller can set this policy would go. --allow-self-lockout permits it.',
  ),
  WILDCARD: entry('refused', 'A wildcard in a destroy target', 'Targets of destroy are literal identifiers.'),
  POLICY_DOWNGRADED: entry(
    'refused',
    'The policy was read without its conditions',
    'A role named *_withcond_* shows that conditions were lost on the way; writing it back would erase them.',
  ),
  LOCK_HELD: entry('refused', 'The stack is locked', 'Another run holds the lock of this stack.'),
  LOCK_STALE: entry(
    'refused',
    'A dead process left its lock',
    'The process that held the lock is gone. `infra unlock <id>` removes it.',
  ),
  CHAIN_BROKEN: entry(
    'refused',
    "The event log's chain is broken",
    'A row does not fit the hash chain: the log was changed after it was written.',
  ),
  UNSAFE_PATH: entry(
    'refused',
    'A path that is not safe to use',
    'A symlink, another owner, or open permissions stand in the way.',
  ),
  UNSAFE_FILE: entry(
    'usage',
    'A file that is not safe to send',
    "A file that a playbook names is reached through a symlink, lies outside of the playbook's folder and of what --allow-path allows, is another user's, may be read by others, or is no regular file. Nothing was run.",
  ),
  EMULATOR_NOT_ASKED: note(
    'The emulator is not asked',
    '--offline and --untrusted send nothing to an emulator either: of --emulator, only its own log and plans count then.',
  ),
  FILE_NOT_READ: note(
    'A file was not looked at',
    "For a stranger's playbook (--untrusted) no file that it names is opened; whether it can be used shows in a plan without that flag.",
  ),
  UNKNOWN_STACK: warn('Nothing is owned by this stack', 'The log knows other stacks. The detail names them.'),
  OTHER_STACK: warn('Another stack owns this resource', 'The log shows that another stack created or adopted it.'),
  ADOPT_ABSENT: entry(
    'refused',
    'There is nothing to adopt',
    "The resource does not exist, so it can't be accepted as desired.",
  ),
  // --- providers ---
  NOT_FOUND: entry('provider', 'Not found', 'The resource does not exist.'),
  NOT_VISIBLE: entry(
    'auth',
    'Not visible',
    'The cloud answers 403 alike for what does not exist and for what may not be seen.',
  ),
  TIMEOUT: entry('provider', 'The call timed out', 'No answer came within the bound.'),
  THROTTLED: entry('provider', 'The cloud throttles', 'A rate limit was hit and did not clear within the bound.'),
  CONFLICT: entry(
    'provider',
    'The cloud reports a conflict',
    'Another change is under way or the resource already exists.',
  ),
  COMMAND_FAILED: entry('provider', 'The command failed', "The vendor's command line ended with an error."),
  INVALID_RESPONSE: entry(
    'provider',
    'The answer is not valid',
    "The cloud's answer is not of the shape that its API promises.",
  ),
  INCOMPLETE_INVENTORY: entry('provider', 'The inventory may be incomplete', 'A list is as long as its limit.'),
  SCOPE_MISMATCH: entry(
    'provider',
    'The answer belongs to another scope',
    'An object of another folder, project or provider came back.',
  ),
  UNAVAILABLE: entry(
    'provider',
    'The cloud is not available',
    'The service could not be reached or answered with a server error.',
  ),
  UNSUPPORTED: entry('provider', 'Not supported', "The provider can't do this."),
  REQUEST_REFUSED: entry(
    'provider',
    'The cloud refused the request',
    'The request was understood and refused; the detail has the reason.',
  ),
  ALREADY_EXISTS: entry(
    'provider',
    'It already exists',
    'A resource with this identity exists already. Adoption is the way to take it over.',
  ),
  PROJECT_ID_TAKEN: entry(
    'provider',
    'The project id is taken',
    'Project ids are unique for ever: someone else has it, or it was deleted within 30 days.',
  ),
  PENDING_DELETION: entry(
    'provider',
    'The resource is pending deletion',
    'It was deleted and can be undeleted until its purge date: set undelete: true.',
  ),
  FOLDER_NAME_TAKEN: entry('provider', 'A sibling folder has this name', 'Folder names are unique under a parent.'),
  FOLDER_NOT_EMPTY: entry(
    'provider',
    'The folder is not empty',
    'A folder can be deleted only when nothing active is inside.',
  ),
  FOLDER_LIMIT: entry('provider', 'A folder limit is reached', 'Folders nest 10 deep and have at most 300 children.'),
  PARENT_DELETED: entry('provider', 'The parent was deleted', 'The destination is pending deletion.'),
  LIEN: entry('provider', 'A lien blocks the deletion', 'A lien was placed on the project; remove it first.'),
  PROJECT_QUOTA: entry(
    'provider',
    'The project quota is used up',
    "The identity's allotted number of projects is reached; deleted ones count for 30 days.",
  ),
  BILLING_CAP: entry(
    'provider',
    "The billing account's project cap is reached",
    'A billing account may be linked to a limited number of projects.',
  ),
  BILLING_CLOSED: entry(
    'provider',
    'The billing account is closed',
    'A closed account can be linked but does not enable billing.',
  ),
  BILLING_REQUIRED: entry('provider', 'The service needs billing', 'The project has no open billing account.'),
  API_DISABLED: entry(
    'auth',
    'The API is disabled in the quota project',
    'The API must be enabled in the project that pays for the calls, which is not the target project.',
  ),
  SERVICE_NOT_FOUND: entry(
    'provider',
    'The service is unknown or not shared',
    'No such service, or the caller may not enable it.',
  ),
  SERVICE_HAS_DEPENDENTS: entry(
    'provider',
    'Other services depend on it',
    'Disabling it would break enabled services; nothing is cascaded silently.',
  ),
  TERMS_OF_SERVICE: entry(
    'provider',
    'Terms of service are not accepted',
    "A person has to accept them in the console; a service account can't.",
  ),
  MEMBER_NOT_FOUND: entry('provider', 'The member does not exist', 'A principal in the policy does not exist.'),
  ROLE_INVALID: entry(
    'provider',
    'The role does not fit',
    "The role does not exist or can't be granted on this resource.",
  ),
  ORG_POLICY: entry(
    'provider',
    'An organisation policy refuses it',
    'A constraint of the organisation or a perimeter forbids this.',
  ),
  RATE_NEVER_GRANTED: entry('provider', 'The quota is zero', 'The quota for this call was never granted.'),
  BILLING_DISABLED: warn('Billing is not enabled', 'The link stands but the account does not enable billing.'),
  BILLING_LINKED: note(
    'The project is linked to a billing account',
    'Deleting a project cuts its billing link, and undeleting it does not bring the link back.',
  ),
  OPERATION_PENDING: entry(
    'uncertain',
    'The operation is still running',
    'The bound was reached first. The next run picks the operation up.',
  ),
  PARTLY_DONE: entry(
    'uncertain',
    'A part of the step was done',
    'The step takes several requests, and one of them failed after others were done. The same apply goes on with the rest.',
  ),
  OUTCOME_UNKNOWN: entry(
    'uncertain',
    'It is not known whether the write happened',
    'The request was sent and no answer came. The next run settles it by reading.',
  ),
  NOT_APPLIED: entry(
    'provider',
    'The interrupted write did not happen',
    'A later read shows that an interrupted request had no effect.',
  ),
  OPEN_INTENT: note(
    'An interrupted request is open',
    'An earlier run was cut between a request and its outcome. What a read shows is recorded by the next apply.',
  ),
  INTERRUPTED: entry(
    'uncertain',
    'Interrupted',
    'The run was stopped; what was in flight was settled or recorded as uncertain.',
  ),
  // --- the log ---
  LOG_INVALID: entry('provider', "The event log can't be read", 'A line is broken, or the server refused.'),
  LOG_WRITE: entry('provider', "The event log can't be written", 'Without a place for the intent nothing is sent.'),
  OUTPUT_WRITE: entry(
    'provider',
    "What came of it can't be written",
    'A result, or the plan that the plan store was to keep, found no room or no permission. What the run did stands.',
  ),
  LOG_NOT_KEPT: warn(
    'The event log is local in CI',
    'The working folder of a CI job is thrown away, and ownership with it. Use a shared log.',
  ),
  LOG_TORN: note(
    'The last line of the log is unfinished',
    'A crash cut it short, so that it counts for nothing. The next append moves its bytes beside the log.',
  ),
  NAMESAKE: warn(
    'Another resource has the name',
    'What the log has as owned is gone, and something else was given its name since: that was found, not made.',
  ),
  FOREIGN_KEYS: note(
    'Facts of others say more than is known here',
    'What another tool recorded as desired has keys that no input of that kind of resource has; they count for nothing.',
  ),
  // --- plans ---
  CONTENTS_GO: note(
    'What lies in it goes as well',
    'The deletion takes along what the log has as owned inside, which the plan has no steps of its own about.',
  ),
  UNDECIDED: note('Planned without reading the cloud', 'No usable auth, or offline: what would change is not known.'),
  RECORD_MISMATCH: note('The log decided the change', 'Another log would give another plan.'),
  ROLLBACK_ON_FAILURE: note(
    'A failure is rolled back',
    'Where every create leaves its mark in the cloud, a definite failure starts nothing new in its stack and undoes what the run made there, newest first. `--no-rollback` keeps it.',
  ),
  ROLLBACK_INCOMPLETE: entry(
    'uncertain',
    'A rollback left something',
    'What the run made could not all be deleted again: something stands on it, it is protected, its labels are others now, or the run was stopped. The log still says that it is owned.',
    'warning',
  ),
  ROLLED_BACK: note(
    'What the run made is undone',
    'After a definite failure, what the run made in that stack was deleted again and read to be gone.',
  ),
  NOTHING_TO_ROLL_BACK: note(
    'No interrupted run is open',
    'A rollback undoes runs that left something open. What was settled since belongs to its stack, like everything else: `infra destroy` removes it.',
  ),
  BUG: entry('bug', 'A bug in infra', 'Something that must not happen happened. Please report it.'),
} as const satisfies Record<string, CodeEntry>;

export type Code = keyof typeof CODES;

/** Makes a diagnostic: severity and summary come from the table, the detail says what, why and what to do. */
export function diagnostic(code: Code, detail: string, fields: DiagnosticFields = {}): Diagnostic {
  const { severity, summary } = CODES[code];
  return {
    code,
    severity,
    summary,
    detail,
    address: null,
    urn: null,
    source: null,
    hint: null,
    operation: null,
    retryable: null,
    ...fields,
  };
}

/** The fault of a diagnostic's code; a code that is not in the table is a bug. */
export function faultOf(item: Diagnostic): Fault {
  return (CODES as Record<string, CodeEntry>)[item.code]?.fault ?? 'bug';
}
