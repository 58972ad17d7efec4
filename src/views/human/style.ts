/** What a piece of text is; only colour tells it, never meaning: every word stands there without it too. */
export type Ink = 'add' | 'change' | 'remove' | 'error' | 'warning' | 'info' | 'dim' | 'bold';

const CODES: Readonly<Record<Ink, string>> = {
  add: '32',
  change: '33',
  remove: '31',
  error: '1;31',
  warning: '33',
  info: '36',
  dim: '2',
  bold: '1',
};

export type Paint = (ink: Ink, text: string) => string;

/** How a person's terminal is; decided by the CLI, so that views stay pure. */
export interface HumanOptions {
  readonly color: boolean;
  /** Columns. */
  readonly width: number;
  /** Also what is as declared, and the requests. */
  readonly verbose: boolean;
  readonly showReads: boolean;
  /**
   * The command that applies this plan, up to and without ` --confirm <digest>`, ready to be pasted; null where there
   * is none. Left out: `infra <verb> <playbook>`.
   */
  readonly applyCommand?: string | null;
}

export function painter(color: boolean): Paint {
  return color ? (ink, text) => `\u001b[${CODES[ink]}m${text}\u001b[0m` : (_ink, text) => text;
}
