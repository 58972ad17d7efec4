import type { DoctorReport } from '../../core/doctor.ts';
import { diagnosticDocument } from './diagnostic.ts';

/** The JSON of doctor. */
export function doctorDocument({ format_version, command, checks, diagnostics }: DoctorReport): object {
  return {
    format_version,
    command,
    checks: checks.map(({ name, status, detail }) => ({ name, status, detail })),
    diagnostics: diagnostics.map(diagnosticDocument),
  };
}
