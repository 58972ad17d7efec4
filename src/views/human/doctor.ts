import type { CheckStatus, DoctorReport } from '../../core/doctor.ts';
import { block, count, escapeText, hanging, pad } from '../text.ts';
import { type HumanOptions, type Ink, painter } from './style.ts';

const INKS: Readonly<Record<CheckStatus, Ink>> = { ok: 'add', warn: 'warning', fail: 'error', skipped: 'dim' };
const WIDTH = 8;

/** What was looked at, for a person. */
export function renderDoctor({ checks }: DoctorReport, options: HumanOptions): string {
  const paint = painter(options.color);
  const indent = ' '.repeat(WIDTH);
  const lines = checks.flatMap(({ name, status, detail }) => [
    `${paint(INKS[status], pad(status, WIDTH))}${escapeText(name)}`,
    ...hanging(escapeText(detail), indent, options.width),
  ]);
  const bad = checks.filter(({ status }) => status === 'fail').length;
  const doubtful = checks.filter(({ status }) => status === 'warn').length;
  const words = [
    ...(bad === 0 ? [] : [`${count(bad, 'check')} failed`]),
    ...(doubtful === 0 ? [] : [count(doubtful, 'warning')]),
  ];
  return block([...lines, '', paint('bold', words.length === 0 ? 'All is well.' : `${words.join(', ')}.`)]);
}
