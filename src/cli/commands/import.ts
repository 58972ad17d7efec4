import { diagnostic } from '../../core/codes.ts';
import { DiagnosticError } from '../../core/diagnostics.ts';
import { FORMAT_VERSION } from '../../core/plan.ts';
import { type ImportResult, runImport } from '../../engine/import.ts';
import type { CommandModule } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags, collect } from '../flags.ts';
import { list } from '../options.ts';
import { authText, endpointText } from '../playbook-auth.ts';
import { addScopeFlags, providerOf, withScope } from '../scope.ts';
import { withOutput } from '../workflow.ts';
import { addConfigFlag, addReadingFlags } from '../workflow-flags.ts';
import type { WorkflowCall } from '../workflow-types.ts';

/** Writes the playbook of what is live in a scope. */
export const importCommand: CommandModule = {
  configure(command) {
    addConfigFlag(addReadingFlags(addScopeFlags(command))).option(
      '--leave-out <member>',
      "members whose grants to leave out instead of Google's service agents; # is a number, * any text (repeatable)",
      collect,
    );
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra import --from organizations/123456789012 --credential reader --out org.yaml',
      'infra import --from projects/acme-dns-prod --credential reader --stack prod > dns.yaml',
      'infra import --provider yandex --folder b1gexamplefolder0001 --credential sandbox --stack gateway > gateway.yaml',
    ]);
  },

  run: (host, invocation) => withOutput(host, 'import', invocation, importScope),
};

async function importScope(call: WorkflowCall): Promise<ExitCode> {
  const leaveOut = list(call.invocation.options, 'leaveOut');
  if (leaveOut.length > 0 && providerOf(call.invocation.options) === 'yandex') throw noGrants();
  const result = await withScope(call, ({ reader, stack, identity, auth, endpoint }) =>
    runImport({
      reader,
      stack,
      identity,
      name: null,
      auth: auth === null ? null : authText(auth),
      endpoint: endpoint === null ? null : endpointText(endpoint),
      leaveOut: leaveOut.length === 0 ? null : leaveOut,
    }),
  );
  call.output.stream({ type: 'import_result', playbook: result.text });
  call.output.stream({ type: 'summary', summary: { steps: result.steps } });
  await call.output.result({ diagnostics: [], human: () => result.text, document: () => importDocument(result) });
  const left = result.leftOut.reduce((sum, { what }) => sum + what.length, 0);
  call.output.log.note(`${result.steps} steps for ${result.scope}; ${left} left out, as the playbook's comment says.`);
  return EXIT.done;
}

function noGrants(): DiagnosticError {
  return new DiagnosticError([
    diagnostic('USAGE', '--leave-out is about members of grants, and an import of Yandex Cloud has no grants.'),
  ]);
}

function importDocument({ provider, scope, text, steps, leftOut }: ImportResult): object {
  return {
    format_version: FORMAT_VERSION,
    command: 'import',
    provider,
    scope,
    playbook: text,
    steps,
    left_out: leftOut.map(({ why, what }) => ({ why, what })),
    diagnostics: [],
  };
}
