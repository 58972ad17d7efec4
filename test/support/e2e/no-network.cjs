// Preloaded into a process that must stay at home: whoever opens a socket, asks a name server, starts a program or looks
// for a Google credential ends with exit code 99.
'use strict';
const net = require('node:net');
const dns = require('node:dns');
const fs = require('node:fs');
const childProcess = require('node:child_process');

function refuse(what) {
  fs.writeSync(2, `NOT AT HOME: ${what}\n`);
  process.exit(99);
}

net.Socket.prototype.connect = () => refuse('a socket');
dns.lookup = () => refuse('a name');
dns.promises.lookup = () => refuse('a name');
for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork']) {
  const original = childProcess[name];
  // What git tracks may be asked for; that is no network.
  childProcess[name] = (file, ...rest) =>
    String(file) === 'git' ? original(file, ...rest) : refuse(`the program ${file}`);
}
for (const holder of [fs, fs.promises]) {
  for (const name of [
    'readFile',
    'readFileSync',
    'open',
    'openSync',
    'stat',
    'statSync',
    'access',
    'accessSync',
    'existsSync',
  ]) {
    const original = holder[name];
    if (typeof original !== 'function') continue;
    holder[name] = function (path, ...rest) {
      if (/application_default_credentials|no-such-credential|\.config\/gcloud/.test(String(path)))
        refuse(`the file ${path}`);
      return original.call(this, path, ...rest);
    };
  }
}
