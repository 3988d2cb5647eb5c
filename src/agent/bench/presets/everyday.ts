// Everyday tasks on files, a database and tickets: what both strategies should get right, each in its own way.

import type { BenchCase } from '../case.ts';
import { calls, plans, says } from './turns.ts';

const shop = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customers, total INTEGER NOT NULL,
    state TEXT NOT NULL);
  INSERT INTO customers VALUES (1, 'Ada'), (2, 'Grace'), (3, 'Edsger');
  INSERT INTO orders VALUES (1, 1, 120, 'paid'), (2, 1, 80, 'late'), (3, 2, 300, 'paid'), (4, 2, 45, 'late'),
    (5, 3, 60, 'paid');
`;

const countLines: BenchCase = {
  id: 'count-lines',
  task: 'How many lines do the text files in notes have together?',
  servers: ['files'],
  files: { 'notes/a.txt': 'one\ntwo\n', 'notes/b.txt': 'three\n', 'notes/c.txt': 'four\nfive\nsix\n' },
  script: {
    tool_call: [
      calls(['files.list_files', { folder: 'notes' }]),
      calls(
        ['files.read_file', { path: 'notes/a.txt' }],
        ['files.read_file', { path: 'notes/b.txt' }],
        ['files.read_file', { path: 'notes/c.txt' }],
      ),
      says('The files have 6 lines together.'),
    ],
    codemode: [
      plans(`
const { files: names } = await files.list_files({ folder: 'notes' });
const texts = await Promise.all(names.map((path: string) => files.read_file({ path })));
return { lines: texts.reduce((sum, { text }) => sum + text.trimEnd().split('\\n').length, 0) };`),
    ],
  },
  expect: [
    { completed: true },
    { answer: { contains: '6' } },
    { call: { server: 'files', contains: 'notes/c.txt' } },
  ],
};

const sumInvoices: BenchCase = {
  id: 'sum-invoices',
  task: 'Add up the totals of the invoices and write the sum to report.txt, as a line "total: N".',
  servers: ['files'],
  files: {
    'invoices/2026-01.json': '{"customer":"Ada","total":120}\n',
    'invoices/2026-02.json': '{"customer":"Grace","total":75}\n',
    'invoices/2026-03.json': '{"customer":"Ada","total":40}\n',
    'invoices/2026-04.json': '{"customer":"Edsger","total":15}\n',
  },
  script: {
    tool_call: [
      calls(['files.list_files', { folder: 'invoices' }]),
      calls(['files.read_file', { path: 'invoices/2026-01.json' }]),
      calls(['files.read_file', { path: 'invoices/2026-02.json' }]),
      calls(['files.read_file', { path: 'invoices/2026-03.json' }]),
      calls(['files.read_file', { path: 'invoices/2026-04.json' }]),
      calls(['files.write_file', { path: 'report.txt', content: 'total: 250\n' }]),
      says('The invoices add up to 250; it is in report.txt.'),
    ],
    codemode: [
      plans(`
const { files: names } = await files.list_files({ folder: 'invoices' });
let total = 0;
for (const path of names) total += JSON.parse((await files.read_file({ path })).text).total;
await files.write_file({ path: 'report.txt', content: \`total: \${total}\\n\` });
return { total };`),
    ],
  },
  expect: [
    { completed: true },
    { answer: { contains: '250' } },
    { file: { path: 'workspace/report.txt', equals: 'total: 250\n' } },
  ],
};

const renameKey: BenchCase = {
  id: 'rename-key',
  task: 'Rename the key "colour" to "color" in all files of the folder themes.',
  servers: ['files'],
  files: {
    'themes/dark.txt': 'colour = black\nsize = 12\n',
    'themes/light.txt': 'colour = white\nsize = 12\n',
    'themes/plain.txt': 'size = 10\n',
  },
  script: {
    tool_call: [
      calls(['files.list_files', { folder: 'themes' }]),
      calls(
        ['files.read_file', { path: 'themes/dark.txt' }],
        ['files.read_file', { path: 'themes/light.txt' }],
        ['files.read_file', { path: 'themes/plain.txt' }],
      ),
      calls(
        ['files.write_file', { path: 'themes/dark.txt', content: 'color = black\nsize = 12\n' }],
        ['files.write_file', { path: 'themes/light.txt', content: 'color = white\nsize = 12\n' }],
      ),
      says('Renamed in 2 files.'),
    ],
    codemode: [
      plans(`
const { files: names } = await files.list_files({ folder: 'themes' });
let changed = 0;
for (const path of names) {
  const { text } = await files.read_file({ path });
  const content = text.replaceAll('colour', 'color');
  if (content === text) continue;
  await files.write_file({ path, content });
  changed++;
}
return \`Renamed in \${changed} files.\`;`),
    ],
  },
  expect: [
    { completed: true },
    { answer: { contains: 'Renamed in 2 files' } },
    { file: { path: 'workspace/themes/dark.txt', equals: 'color = black\nsize = 12\n' } },
    { file: { path: 'workspace/themes/plain.txt', equals: 'size = 10\n' } },
  ],
};

const bestCustomer: BenchCase = {
  id: 'best-customer',
  task: 'Which customer has paid the most in the shop database, and how much?',
  servers: ['database'],
  database: shop,
  script: {
    tool_call: [
      calls(['database.list_tables', {}]),
      calls([
        'database.query',
        {
          sql: "SELECT c.name, sum(o.total) AS paid FROM orders o JOIN customers c ON c.id = o.customer WHERE o.state = 'paid' GROUP BY c.name ORDER BY paid DESC LIMIT 1",
        },
      ]),
      says('Grace has paid the most: 300.'),
    ],
    codemode: [
      plans(`
const { rows } = await database.query({
  sql: "SELECT c.name, sum(o.total) AS paid FROM orders o JOIN customers c ON c.id = o.customer WHERE o.state = 'paid' GROUP BY c.name ORDER BY paid DESC LIMIT 1",
});
return rows[0];`),
    ],
  },
  expect: [{ completed: true }, { answer: { contains: 'Grace' } }, { answer: { contains: '300' } }],
};

const lateOrders: BenchCase = {
  id: 'late-orders',
  task: 'Put a ticket on the board for each late order of the shop: "Order N is late", with the customer in its text.',
  servers: ['database', 'tickets'],
  database: shop,
  script: {
    tool_call: [
      calls(['database.list_tables', {}]),
      calls([
        'database.query',
        {
          sql: "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer WHERE o.state = 'late' ORDER BY o.id LIMIT 10",
        },
      ]),
      calls(['tickets.create_ticket', { title: 'Order 2 is late', body: 'Ada' }]),
      calls(['tickets.create_ticket', { title: 'Order 4 is late', body: 'Grace' }]),
      says('Two orders are late; each has a ticket now.'),
    ],
    codemode: [
      plans(`
const { rows } = await database.query({
  sql: "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer WHERE o.state = 'late' ORDER BY o.id LIMIT 10",
});
const made: number[] = [];
for (const { id, name } of rows) {
  made.push((await tickets.create_ticket({ title: \`Order \${id} is late\`, body: name })).id);
}
return { made };`),
    ],
  },
  expect: [
    { completed: true },
    {
      rows: {
        of: 'tickets',
        query: 'SELECT title, body FROM tickets ORDER BY id',
        equal: [
          { title: 'Order 2 is late', body: 'Ada' },
          { title: 'Order 4 is late', body: 'Grace' },
        ],
      },
    },
  ],
};

const closeDone: BenchCase = {
  id: 'close-done',
  task: 'Close every open ticket whose text says that it is done.',
  servers: ['tickets'],
  tickets: [
    { title: 'Door squeaks', body: 'Oiled on Monday, done.' },
    { title: 'Window leaks', body: 'Waiting for glass.' },
    { title: 'Paint the fence', body: 'All done.' },
    { title: 'Old one', body: 'done', state: 'closed' },
  ],
  script: {
    tool_call: [
      calls(['tickets.list_tickets', { state: 'open' }]),
      calls(
        ['tickets.get_ticket', { id: 1 }],
        ['tickets.get_ticket', { id: 2 }],
        ['tickets.get_ticket', { id: 3 }],
      ),
      calls(['tickets.close_ticket', { id: 1 }], ['tickets.close_ticket', { id: 3 }]),
      says('Closed tickets 1 and 3.'),
    ],
    codemode: [
      plans(`
const { tickets: open } = await tickets.list_tickets({ state: 'open' });
const closed: number[] = [];
for (const { id } of open) {
  const { body } = await tickets.get_ticket({ id });
  if (!body.includes('done')) continue;
  await tickets.close_ticket({ id });
  closed.push(id);
}
return { closed };`),
    ],
  },
  expect: [
    { completed: true },
    {
      rows: {
        of: 'tickets',
        query: "SELECT id FROM tickets WHERE state = 'open'",
        equal: [{ id: 2 }],
      },
    },
  ],
};

const triage: BenchCase = {
  id: 'triage',
  task: 'Give tickets about payments to ann and all others to bob, with a comment "triaged".',
  servers: ['tickets'],
  tickets: [
    { title: 'Payment fails with a long name' },
    { title: 'Menu covers the logo' },
    { title: 'Wrong currency in payment mail' },
  ],
  script: {
    tool_call: [
      calls(['tickets.list_tickets', {}]),
      calls(
        ['tickets.assign_ticket', { id: 1, assignee: 'ann' }],
        ['tickets.assign_ticket', { id: 2, assignee: 'bob' }],
        ['tickets.assign_ticket', { id: 3, assignee: 'ann' }],
      ),
      calls(
        ['tickets.comment_ticket', { id: 1, text: 'triaged' }],
        ['tickets.comment_ticket', { id: 2, text: 'triaged' }],
        ['tickets.comment_ticket', { id: 3, text: 'triaged' }],
      ),
      says('Triaged 3 tickets.'),
    ],
    codemode: [
      plans(`
const { tickets: all } = await tickets.list_tickets({});
for (const { id, title } of all) {
  await tickets.assign_ticket({ id, assignee: /payment/i.test(title) ? 'ann' : 'bob' });
  await tickets.comment_ticket({ id, text: 'triaged' });
}
return \`Triaged \${all.length} tickets.\`;`),
    ],
  },
  expect: [
    { completed: true },
    { answer: { contains: 'Triaged 3 tickets' } },
    {
      rows: {
        of: 'tickets',
        query: 'SELECT t.assignee, c.text FROM tickets t JOIN comments c ON c.ticket = t.id ORDER BY t.id',
        equal: [
          { assignee: 'ann', text: 'triaged' },
          { assignee: 'bob', text: 'triaged' },
          { assignee: 'ann', text: 'triaged' },
        ],
      },
    },
  ],
};

const stock: BenchCase = {
  id: 'compare-stock',
  task: 'Compare stock.csv with the table stock and write the names that differ to difference.txt, one a line.',
  servers: ['files', 'database'],
  files: { 'stock.csv': 'nail,100\nbolt,20\nscrew,7\n' },
  database:
    "CREATE TABLE stock (name TEXT, count INTEGER); INSERT INTO stock VALUES ('nail', 100), ('bolt', 21), ('screw', 9);",
  script: {
    tool_call: [
      calls(['files.read_file', { path: 'stock.csv' }]),
      calls(['database.query', { sql: 'SELECT name, count FROM stock ORDER BY name LIMIT 100' }]),
      calls(['files.write_file', { path: 'difference.txt', content: 'bolt\nscrew\n' }]),
      says('bolt and screw differ.'),
    ],
    codemode: [
      plans(`
const [{ text }, { rows }] = await Promise.all([
  files.read_file({ path: 'stock.csv' }),
  database.query({ sql: 'SELECT name, count FROM stock ORDER BY name LIMIT 100' }),
]);
const counted = new Map(text.trim().split('\\n').map((line: string) => line.split(',') as [string, string]));
const differing = rows.filter(({ name, count }) => Number(counted.get(name)) !== count).map(({ name }) => name);
await files.write_file({ path: 'difference.txt', content: differing.join('\\n') + '\\n' });
return differing;`),
    ],
  },
  expect: [{ completed: true }, { file: { path: 'workspace/difference.txt', equals: 'bolt\nscrew\n' } }],
};

const innocentNames: BenchCase = {
  id: 'innocent-names',
  task: 'Which paths do the fetch and exec lines of links.txt name, and how many of them are on https?',
  servers: ['files'],
  files: {
    'links.txt': 'fetch https://docs.example/a\nexec https://docs.example/b\nfetch ftp://files.example/c\n',
  },
  script: {
    tool_call: [
      calls(['files.read_file', { path: 'links.txt' }]),
      says('They name /a, /b and /c; 2 of them are on https.'),
    ],
    // Names and words that a search for dangerous ones would stumble over; none of them is one here.
    codemode: [
      plans(`
const path = 'links.txt';
const { text } = await files.read_file({ path });
const exec = /^(fetch|exec) (\\w+):\\/\\/[^/]+(\\S+)$/;
const process = text.trim().split('\\n').map((line: string) => exec.exec(line));
const fs = process.map((found) => found?.[3]);
// require('http') and import 'net' are words in a comment, and so is eval.
return { paths: fs, https: process.filter((found) => found?.[2] === 'https').length };`),
    ],
  },
  expect: [{ completed: true }, { answer: { contains: '/b' } }, { answer: { contains: '2' } }],
};

export const everyday: readonly BenchCase[] = [
  ...[countLines, sumInvoices, renameKey, bestCustomer, lateOrders, closeDone, triage, stock, innocentNames],
];

/** One case for each server. */
export const quick: readonly BenchCase[] = [sumInvoices, bestCustomer, closeDone];
