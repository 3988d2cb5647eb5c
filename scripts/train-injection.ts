// node scripts/train-injection.ts: learns the injection model and writes src/detect/injection/model.json.
// The same corpora give the same file. Thresholds come from texts that the scoring model never saw.

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { StoredModel } from '../src/detect/injection/model.ts';
import { corpus, hasCorpus } from './injection/corpus.ts';
import { learn, leaveOneOut, thresholdsFrom } from './injection/learn.ts';

const file = fileURLToPath(new URL('../src/detect/injection/model.json', import.meta.url));

if (!hasCorpus()) {
  process.stderr.write(
    'The corpora are not at ../shared/corpora/injection; there is nothing to learn from.\n',
  );
  process.exit(1);
}
const texts = corpus();
const progress = (text: string) => process.stderr.write(`  ${text}\n`);
const thresholds = thresholdsFrom(leaveOneOut(texts, progress).scores);
progress('learning from everything');
const { table, scale, bias } = learn(texts);
const model: StoredModel = {
  scale: Number(scale.toPrecision(6)),
  bias: Number(bias.toPrecision(6)),
  thresholds,
  table: Buffer.from(table.buffer).toString('base64'),
};
// As the formatter of the repository writes it.
const points = model.thresholds.map((point) => `[${point.join(', ')}]`).join(', ');
const json = `{
  "scale": ${model.scale},
  "bias": ${model.bias},
  "thresholds": [${points}],
  "table": "${model.table}"
}
`;
writeFileSync(file, json);
process.stderr.write(`${file}: ${Math.ceil(json.length / 1024)} KB\n`);
