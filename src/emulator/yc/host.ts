import type { StdinKind } from './command-log.ts';

/** The process around the program; a test may give its own. */
export interface FakeYcHost {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  readonly platform: string;
  readonly stdin: StdinKind;
  readonly readFile: (path: string) => string;
  /** Resolves when the reader can take more. */
  readonly write: (stream: 'stdout' | 'stderr', text: string) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
  readonly hang: (options: { readonly ignoreSigterm: boolean; readonly grandchild: boolean }) => Promise<never>;
  readonly die: (signal: 'SIGKILL' | 'SIGTERM' | 'SIGSEGV') => Promise<never>;
}

/** What a command prints, and how it ends. */
export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}
