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
    name: 'drift',
    summary: 'what the log says is owned, against what is live',
    load: async () => (await import('./commands/drift.ts')).driftCommand,
  },
  {
    name: 'orphans',
    summary: 'what is owned and no playbook declares',
    load: async () => (await import('./commands/orphans.ts')).orphansCommand,
  },
  {
    name: 'adopt',
    summary: 'accept what is live as what is desired',
    load: async () => (await import('./commands/adopt.ts')).adoptCommand,
  },
  {
    name: 'destroy',
    summary: 'delete what a playbook ensures and its stack owns',
    load: async () => (await import('./commands/destroy.ts')).destroyCommand,
  },
  {
    name: 'forget',
    summary: 'give up the ownership of a resource, without touching it',
    load: async () => (await import('./commands/forget.ts')).forgetCommand,
  },
  {
    name: 'recover',
    summary: 'settle what interrupted runs left open, and keep or undo what they made',
    load: async () => (await import('./commands/recover.ts')).recoverCommand,
  },
  {
    name: 'exec',
    summary: "run the steps one by one with NoETL's own per-step semantics",
    load: async () => (await import('./commands/exec.ts')).execCommand,
  },
  {
    name: 'inventory',
    summary: 'list what is in an organisation, folder or project',
    load: async () => (await import('./commands/inventory.ts')).inventoryCommand,
  },
  {
    name: 'import',
    summary: 'write a playbook of what is live',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  {
    name: 'log',
    summary: 'show the event log, check its chain, list what is owned',
    load: async () => (await import('./commands/log.ts')).logCommand,
  },
  {
    name: 'why',
    summary: 'the history of a resource',
    load: async () => (await import('./commands/why.ts')).whyCommand,
  },
  {
    name: 'unlock',
    summary: "remove a dead process's lock",
    load: async () => (await import('./commands/unlock.ts')).unlockCommand,
  },
  {
    name: 'doctor',
    summary: 'look whether what a run needs is there',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  {
    name: 'explain',
    summary: 'say what an error code means',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    name: 'emulator',
    summary: 'run or reset the emulators of the clouds',
    load: async () => (await import('./commands/emulator.ts')).emulatorCommand,
  },
  {
    name: 'demo',
    summary: 'plan and apply two example playbooks on the emulators',
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
];
