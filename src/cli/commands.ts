import type { CommandEntry } from './command.ts';

/** Every verb, in the order of `--help`. Only the one that is called is loaded. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'plan',
    summary: 'show what apply would do, and its digest',
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  {
    name: 'apply',
    summary: 'plan again, compare with what was confirmed, and do it',
    load: async () => (await import('./commands/apply.ts')).applyCommand,
  },
  {
    name: 'exec',
    summary: "run the steps one by one with NoETL's own per-step semantics",
    load: async () => (await import('./commands/exec.ts')).execCommand,
  },
  {
    name: 'unlock',
    summary: "remove a dead process's lock",
    load: async () => (await import('./commands/unlock.ts')).unlockCommand,
  },
  {
    name: 'explain',
    summary: 'say what an error code means',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    name: 'emulator',
    summary: 'run or reset the emulator of the Google APIs',
    load: async () => (await import('./commands/emulator.ts')).emulatorCommand,
  },
  {
    name: 'demo',
    summary: 'plan and apply an example organisation on the emulator',
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
];
