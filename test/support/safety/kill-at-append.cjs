'use strict';
// Loaded before the program: kills it at the n-th write to its event log. KILL_AT_APPEND is `<n>:half` (a part of the bytes is
// in the file) or `<n>:whole` (all of them are, nothing after that was done).
const promises = require('node:fs/promises');

const [count, moment] = process.env.KILL_AT_APPEND.split(':');
const open = promises.open;
let writes = 0;

promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (!String(path).endsWith('eventlog.jsonl')) return handle;
  const write = handle.write.bind(handle);
  handle.write = async (buffer, offset, length, position) => {
    writes += 1;
    if (writes !== Number(count)) return write(buffer, offset, length, position);
    await write(buffer, offset, moment === 'half' ? Math.floor(length / 2) : length, position);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {});
  };
  return handle;
};
