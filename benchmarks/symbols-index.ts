// Indexes one folder in a process of its own and prints what that took: node symbols-index FOLDER STORE cold|warm THREAD

import { pathToFileURL } from 'node:url';
import { SymbolStore } from '../src/ledger/symbols/index.ts';

const [root = '', store = '', how = 'cold', code = ''] = process.argv.slice(2);
const reader = async () => (await import('../src/decide/parsers.ts')).loadModules();
const symbols = new SymbolStore({ store, reader, thread: pathToFileURL(code) });
const start = performance.now();
const files = how === 'cold' ? (await symbols.index(root)).files : 0;
if (how === 'warm' && (await symbols.of(root, null)) === null)
  throw new Error('there is no index to start from');
const milliseconds = performance.now() - start;
// In kilobytes on Linux.
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ files, milliseconds, megabytes }));
