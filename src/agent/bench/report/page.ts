// A report as one page that needs nothing else: no scripts, nothing from elsewhere, light and dark.

import { escaped } from './plot.ts';

/** One for each series, so that they stay apart for people who see few colours, in light and in dark. */
const light = ['#0b66c3', '#c2570c', '#17795e', '#8a3ea8', '#8c6a00', '#5a6472'];
const dark = ['#6cb2ff', '#ff9d5c', '#4cc9a4', '#d39bea', '#e3c04d', '#a9b4c2'];

const style = `
:root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --ink: #1b2127; --soft: #5a6472; --line: #dfe3e8;
  --good: #17795e; --bad: #b3261e; ${light.map((colour, at) => `--s${at}: ${colour};`).join(' ')} }
@media (prefers-color-scheme: dark) { :root { --page: #14181d; --card: #1b2127; --ink: #e8ecf1; --soft: #a0abb8;
  --line: #333c47; --good: #4cc9a4; --bad: #ff8a80; ${dark.map((colour, at) => `--s${at}: ${colour};`).join(' ')} } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 32px 20px 64px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 26px; margin: 0; } h2 { font-size: 19px; margin: 40px 0 12px; } h3 { font-size: 15px; margin: 0 0 8px; }
p { margin: 4px 0; color: var(--soft); max-width: 75ch; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 16px; }
figure, .wide { margin: 0; padding: 16px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.wide { overflow-x: auto; padding: 0; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--line); } .tick { fill: var(--soft); text-anchor: middle; } .label { text-anchor: end; }
.value { fill: var(--soft); } .mean { stroke-width: 2; }
circle { fill-opacity: .65; }
${light.map((_, at) => `.s${at} { fill: var(--s${at}); stroke: var(--s${at}); }`).join('\n')}
ul.legend { display: flex; flex-wrap: wrap; gap: 6px 20px; list-style: none; margin: 16px 0; padding: 0; }
ul.legend svg { display: inline-block; width: 12px; height: 12px; margin-right: 6px; vertical-align: -1px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 7px 12px; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.n, th.n { text-align: right; } td.remarks { color: var(--soft); overflow-wrap: anywhere; min-width: 24ch; }
p.good, p.bad { margin: 4px 0 16px; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; }
`;

/** A page with a title and what it shows, in HTML. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
