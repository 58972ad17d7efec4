import { addressCommands } from './resources/address.ts';
import type { Command } from './resources/command.ts';
import { diskCommands } from './resources/disk.ts';
import { folderCommands, imageCommands } from './resources/folder.ts';
import { instanceCommands } from './resources/instance.ts';
import { networkCommands } from './resources/network.ts';
import { operationCommands } from './resources/operation.ts';
import { securityGroupCommands } from './resources/security-group.ts';
import { subnetCommands } from './resources/subnet.ts';

export const COMMANDS: readonly Command[] = [
  ...folderCommands,
  ...networkCommands,
  ...subnetCommands,
  ...securityGroupCommands,
  ...addressCommands,
  ...diskCommands,
  ...instanceCommands,
  ...imageCommands,
  ...operationCommands,
];
