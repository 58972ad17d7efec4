'use strict';
// Loaded before the program: notes every attempt to connect, to look a name up, or to run something, in the file CALLS.
const { appendFileSync } = require('node:fs');
const childProcess = require('node:child_process');
const dns = require('node:dns');
const net = require('node:net');

const note = (what) => appendFileSync(process.env.CALLS, `${what}\n`);
const watched = (owner, name) => {
  const original = owner[name];
  owner[name] = function watchedCall(...args) {
    note(name);
    return original.apply(this, args);
  };
};

watched(net.Socket.prototype, 'connect');
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) watched(dns, name);
for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork'])
  watched(childProcess, name);
