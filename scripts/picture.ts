// The picture of the README: a block, an approval and an undo, as docs/figures/first-two-minutes.txt shows them. That
// transcript is typed at a real terminal by `npm run package`; nothing here adds a word to it but the captions.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from './pages.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const path = 'docs/figures/first-two-minutes.svg';

/** What one scene takes from the page: a command, by how it begins, and the lines of its output that are shown. */
interface Shot {
  readonly begins: string;
  readonly lines: RegExp;
  /** Where the page types a host's message, what the agent wanted to run stands in it. */
  readonly inner?: RegExp;
}

interface Scene {
  readonly caption: string;
  readonly colour: string;
  readonly shots: readonly Shot[];
}

const scenes: readonly Scene[] = [
  {
    caption: 'Blocked: an agent sends your secrets to a stranger',
    colour: '#ff7b72',
    shots: [{ begins: 'echo', inner: /"command":"([^"]+)"/, lines: /^Sallyport: / }],
  },
  {
    caption: 'Asked: it wants to read them, and you decide',
    colour: '#e3b341',
    shots: [
      { begins: 'npx sallyport exec -- cat', lines: /^APPROVE/ },
      { begins: 'npx sallyport approve', lines: /^Approved/ },
      { begins: 'npx sallyport exec -- cat', lines: /^(SHOP|STORE)=/ },
    ],
  },
  {
    caption: 'Undone: it deletes a folder, and you restore it',
    colour: '#7ee787',
    shots: [
      { begins: 'npx sallyport exec -- rm', lines: /^$/ },
      { begins: 'npx sallyport undo', lines: /^Undone:/ },
      { begins: 'cat reports', lines: /./ },
    ],
  },
];

const columns = 104;
const size = { letter: 8.4, line: 20, margin: 24 } as const;

interface Line {
  readonly text: string;
  readonly kind: 'caption' | 'command' | 'output' | 'space';
  readonly colour: string;
}

/** The picture as it is and as the page gives it. */
export function makePicture(): Page {
  const lines = scenes.flatMap((scene, index): readonly Line[] => [
    ...(index === 0 ? [] : [{ text: '', kind: 'space', colour: '' } as const]),
    { text: scene.caption, kind: 'caption', colour: scene.colour },
    ...taken(scene),
  ]);
  let found = '';
  try {
    found = readFileSync(join(root, path), 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return { path, found, wanted: drawn(lines) };
}

function taken({ shots, colour }: Scene): readonly Line[] {
  const blocks = typed();
  let at = 0;
  return shots.flatMap(({ begins, lines, inner }) => {
    const next = blocks.findIndex(({ command }, index) => index >= at && command.startsWith(begins));
    const block = blocks[next];
    if (block === undefined) throw new Error(`docs/figures/first-two-minutes.txt does not type "${begins}"`);
    at = next + 1;
    const command = inner === undefined ? block.command : inner.exec(block.command)?.[1];
    const shown = block.output.filter((line) => lines.test(line));
    if (command === undefined) throw new Error(`"${begins}" does not name what the agent runs`);
    if (shown.length === 0 && !lines.test(''))
      throw new Error(`"${begins}" does not print what the picture shows`);
    return [
      ...wrapped(`$ ${command}`).map((text) => ({ text, kind: 'command', colour: '#f0f6fc' }) as const),
      ...shown.flatMap(wrapped).map((text) => ({ text, kind: 'output', colour }) as const),
    ];
  });
}

function typed(): readonly { readonly command: string; readonly output: readonly string[] }[] {
  const transcript = readFileSync(join(root, 'docs/figures/first-two-minutes.txt'), 'utf8');
  return transcript.split(/\n\n(?=[#$] )/).flatMap((part) => {
    const [command = '', ...output] = part.split('\n').filter((line) => line !== '');
    return command.startsWith('$ ') ? [{ command: command.slice(2), output }] : [];
  });
}

/** Broken at blanks; what goes on is indented. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const cut = rest.lastIndexOf(' ', columns);
    const end = cut > 20 ? cut : columns;
    lines.push(rest.slice(0, end));
    rest = `    ${rest.slice(end).trimStart()}`;
  }
  return [...lines, rest];
}

function drawn(lines: readonly Line[]): string {
  const width = Math.round(columns * size.letter + 2 * size.margin);
  const height = lines.length * size.line + 2 * size.margin;
  const texts = lines.flatMap(({ text, kind, colour }, index) => {
    if (kind === 'space') return [];
    const y = size.margin + (index + 0.75) * size.line;
    const weight = kind === 'caption' ? ' font-weight="bold"' : '';
    return [`<text x="${size.margin}" y="${y}" fill="${colour}"${weight}>${escaped(text)}</text>`];
  });
  const font = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A block, an approval and an undo at a terminal" font-family="${font}" font-size="14" style="white-space:pre">`,
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
