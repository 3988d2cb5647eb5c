// A host as agents have it: it calls the hooks that are installed for it, and runs commands and edits itself. It takes
// orders as lines of JSON, and can be killed in the middle of a call.

import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

const [client, folder] = process.argv.slice(2);

/** Starts a program and gives how it ended. */
function run(program, args, input) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input ?? '');
    child.once('error', (error) => resolve({ code: 127, printed: String(error) }));
    child.once('close', (code) => resolve({ code, printed }));
  });
}

const orders = {
  hook: ({ event, value }) => run('/bin/sh', ['-c', `'${client}' ${event}`], JSON.stringify(value)),
  run: ({ command }) => run('/bin/bash', ['-c', command]),
  put: ({ file, content }) => {
    mkdirSync(dirname(file), { recursive: true });
    if (content === null) rmSync(file);
    else writeFileSync(file, content);
    return { code: 0, printed: '' };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { order, ...rest } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await orders[order](rest))}\n`);
}
