import { type Diagnostic, DiagnosticError, hasErrors } from '../core/diagnostics.ts';
import type { EnginePorts } from './ports.ts';
import { inputDiagnostic, type Prepared } from './prepare.ts';

/**
 * Looks at the files that the selected steps would send, before any access to a cloud: one that can't be used keeps the
 * whole from starting. A deletion sends none. Throws DiagnosticError with all that is wrong; gives what there is to say.
 */
export async function checkFiles(
  ports: Pick<EnginePorts, 'checkFiles'>,
  { steps, verb }: Prepared,
): Promise<readonly Diagnostic[]> {
  if (ports.checkFiles === undefined || verb === 'destroy') return [];
  const found: Diagnostic[] = [];
  for (const { step, spec, declaration } of steps.values()) {
    if (spec.kind !== 'ensure') continue;
    for (const problem of await ports.checkFiles(declaration)) found.push(inputDiagnostic(step, problem));
  }
  if (hasErrors(found)) throw new DiagnosticError(found);
  return found;
}
