import type { CommandModule } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { addExamples, addOutputFlags } from '../flags.ts';

export const emulatorCommand: CommandModule = {
  configure(command) {
    command.argument('[playbook]', 'the playbook');
    addExamples(addOutputFlags(command), ['infra emulator x.yaml']);
  },
  async run() {
    return EXIT.done;
  },
};
