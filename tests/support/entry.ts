// Runs the command line from source, whatever lies in dist/.

import { main } from '../../src/cli/main.ts';

await main(process.argv.slice(2));
