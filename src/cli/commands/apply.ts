import type { CommandModule } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { addExamples, addOutputFlags } from '../flags.ts';

export const applyCommand: CommandModule = {
  configure(command) {
    command.argument('[playbook]', 'the playbook');
    addExamples(addOutputFlags(command), ['infra apply x.yaml']);
  },
  async run() {
    return EXIT.done;
  },
};
