import { runInventory } from '../../engine/inventory.ts';
import { renderInventory } from '../../views/human/inventory.ts';
import { inventoryDocument } from '../../views/json/inventory.ts';
import type { CommandModule } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { addExamples, addOutFlag, addOutputFlags } from '../flags.ts';
import { addScopeFlags, withScope } from '../scope.ts';
import { withOutput } from '../workflow.ts';
import { addConfigFlag, addReadingFlags } from '../workflow-flags.ts';

/** All that is in a scope: complete, or an error. */
export const inventoryCommand: CommandModule = {
  configure(command) {
    addConfigFlag(addReadingFlags(addScopeFlags(command)));
    addOutFlag(addOutputFlags(command));
    addExamples(command, [
      'infra inventory --from folders/123456789012 --credential reader',
      'infra inventory --provider yandex --folder b1gexamplefolder0001 --credential sandbox',
    ]);
  },

  run: (host, invocation) =>
    withOutput(host, 'inventory', invocation, async (call) => {
      const found = await withScope(call, ({ reader }) => runInventory({ reader }));
      for (const resource of found.resources) call.output.stream({ type: 'inventory_result', resource });
      call.output.stream({ type: 'summary', summary: { resources: found.resources.length } });
      await call.output.result({
        diagnostics: [],
        human: (options) => renderInventory(found, options),
        document: () => ({ ...inventoryDocument(found), diagnostics: [] }),
      });
      return EXIT.done;
    }),
};
