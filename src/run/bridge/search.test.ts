// Tests of the search: the tools found for a task among some hundred, and that equal tasks find the same.

import { describe, expect, it } from 'vitest';
import type { UpstreamTool } from '../mcp/index.ts';
import { codeTools } from './names.ts';
import { searchTools } from './search.ts';

const kinds: readonly (readonly [string, readonly string[]])[] = [
  ['github', ['issue', 'pull_request', 'repository', 'branch', 'commit', 'release', 'workflow_run', 'label']],
  ['jira', ['issue', 'sprint', 'board', 'worklog', 'epic']],
  ['slack', ['channel', 'message', 'reaction', 'user', 'file']],
  ['stripe', ['customer', 'invoice', 'subscription', 'refund', 'payment_intent', 'coupon']],
  ['calendar', ['event', 'attendee', 'reminder']],
  ['warehouse', ['order', 'shipment', 'stock_level', 'supplier', 'return_label']],
  ['drive', ['file', 'folder', 'permission', 'comment']],
];
const verbs = ['list', 'get', 'create', 'update', 'delete', 'search', 'archive'];

const special: readonly UpstreamTool[] = [
  {
    server: 'weather',
    name: 'getCurrentConditions',
    description: 'Temperature, wind and rain at a place right now.',
    inputSchema: { properties: { city: { type: 'string' }, units: { type: 'string' } } },
  },
  {
    server: 'mail',
    name: 'send_email',
    description: 'Delivers a message to recipients.',
    inputSchema: { properties: { recipients: {}, subject: {}, body: {} } },
  },
  {
    server: 'ops',
    name: 'kb_lookup',
    title: 'Knowledge base',
    description: 'Answers from the handbook.',
    inputSchema: { $ref: '#/$defs/a', $defs: { a: { properties: { question: {} } } } },
  },
  {
    server: 'elasticsearch',
    name: 'list_indices',
    description: '🎯 Purpose:\n  1. Shows the indexes of the cluster.',
    inputSchema: {},
  },
  { server: 'bank', name: 'query', description: 'Runs a read-only SQL query.', inputSchema: {} },
];

const upstream: readonly UpstreamTool[] = [
  ...special,
  ...kinds.flatMap(([server, things]) =>
    things.flatMap((thing) =>
      verbs.map((verb): UpstreamTool => {
        const said = thing.replaceAll('_', ' ');
        const inputSchema = { properties: { [`${thing}_id`]: { type: 'string' }, limit: {} } };
        return {
          server,
          name: `${verb}_${thing}`,
          description: `${verb}s a ${said} of ${server}.`,
          inputSchema,
        };
      }),
    ),
  ),
];
const tools = codeTools(upstream);

function found(task: string, limit = 5): readonly string[] {
  return searchTools(tools, task, limit).map(({ name }) => name);
}

describe('a task finds its tool', () => {
  it.each([
    ['create a new issue in github', 'github.create_issue'],
    ['Please list all my pull requests on GitHub', 'github.list_pull_request'],
    ['remove a repo', 'github.delete_repository'],
    ['indexes of elastic', 'elasticsearch.list_indices'],
    ['which indexes does the cluster have', 'elasticsearch.list_indices'],
    ['SELECT count(*) FROM orders', 'bank.query'],
    ['open an invoice for a customer in stripe', 'stripe.create_invoice'],
    ['refund', 'stripe.get_refund'],
    ['github.update_label', 'github.update_label'],
    ['what is the temperature in Berlin', 'weather.getCurrentConditions'],
    ['current conditions', 'weather.getCurrentConditions'],
    ['send an e-mail to recipients with a subject', 'mail.send_email'],
    ['knowledge', 'ops.kb_lookup'],
    ['find shipments', 'warehouse.search_shipment'],
    ['rename a folder on the drive', 'drive.update_folder'],
  ])('%s → %s', (task, name) => {
    expect(found(task)).toContain(name);
  });

  it.each([
    ['creat an isue in githb', 'github.create_issue'],
    ['list stripe subscritpions', 'stripe.list_subscription'],
    ['temprature', 'weather.getCurrentConditions'],
    ['delete warehouse shipmnet', 'warehouse.delete_shipment'],
    ['handbok', 'ops.kb_lookup'],
  ])('in spite of spelling: %s → %s', (task, name) => {
    expect(found(task)).toContain(name);
  });

  it('first, where it says the most of it', () => {
    expect(found('create a github issue')[0]).toBe('github.create_issue');
    expect(found('jira: delete a sprint')[0]).toBe('jira.delete_sprint');
    expect(found('list slack channels')[0]).toBe('slack.list_channel');
  });
});

describe('what a name or a value is', () => {
  const disk = codeTools(
    [
      ['read_text', 'Read a file as text.'],
      ['read_image', 'Read an image.'],
      ['search_files', 'Search for files matching a pattern.'],
      ['create_directory', 'Create a directory.'],
      ['list_directory', 'List a directory.'],
      ['visit_page', 'Visit the page at a URL.'],
      ['post_to_channel', 'Post to a channel.'],
      ['library_docs', 'The documentation of a package or a library.'],
    ].map(
      ([name = '', description = '']): UpstreamTool => ({
        server: 'all',
        name,
        description,
        inputSchema: {},
      }),
    ),
  );

  it.each([
    ['print package.json', 'all.read_text'],
    ['show assets/logo.png', 'all.read_image'],
    ['any **/*.test.ts here?', 'all.search_files'],
    ['mkdir out', 'all.create_directory'],
    ['ls ~/Downloads', 'all.list_directory'],
    ['example.com, please', 'all.visit_page'],
    ['post it to #general', 'all.post_to_channel'],
  ])('counts as what it is: %s → %s', (task, name) => {
    expect(searchTools(disk, task, 1).map((one) => one.name)).toEqual([name]);
  });

  it('reads a task of any shape in time that grows with it', () => {
    const took = ['a.', 'a-', '*', '#', '~/', 'a@'].map((unit) => {
      const start = performance.now();
      searchTools(disk, unit.repeat(50_000), 5);
      return performance.now() - start;
    });
    expect(Math.max(...took)).toBeLessThan(2000);
  });
});

describe('a task of several steps', () => {
  it('finds what each step needs, and what takes the result', () => {
    expect(found('copy the slack message into a file on the drive and delete the github label', 10)).toEqual(
      expect.arrayContaining(['slack.get_message', 'drive.create_file', 'github.delete_label']),
    );
  });

  it('that asks finds what reads, and one that orders what changes', () => {
    const reading = ['stripe.get_coupon', 'stripe.list_coupon', 'stripe.search_coupon'];
    expect(found('show the coupon', 3).toSorted()).toEqual(reading);
    expect(found('which coupons are there', 3).toSorted()).toEqual(reading);
    expect(found('update the coupon', 1)).toEqual(['stripe.update_coupon']);
  });
});

describe('a search', () => {
  it('gives at most as many as are wanted, and none for what no tool is about', () => {
    expect(tools.length).toBeGreaterThan(250);
    expect(found('issue', 3)).toHaveLength(3);
    expect(found('xylophone quartz')).toEqual([]);
    expect(found('')).toEqual([]);
    expect(found('the and of a')).toEqual([]);
    expect(searchTools([], 'issue', 10)).toEqual([]);
  });

  it('gives the same for the same, whatever the order of the tools', () => {
    const other = codeTools(upstream.toReversed());
    for (const task of ['issue', 'update file', 'label of a release']) {
      expect(searchTools(other, task, 20).map(({ name }) => name)).toEqual(found(task, 20));
    }
  });

  it('is not won by a description that holds every word many times', () => {
    const words = upstream.map(({ description }) => description).join(' ');
    const greedy = codeTools([
      ...upstream,
      { server: 'evil', name: 'z', description: words.repeat(3), inputSchema: {} },
    ]);
    expect(searchTools(greedy, 'create a github issue', 3).map(({ name }) => name)).not.toContain('evil.z');
  });

  it('finds words of scripts that have no spaces between them', () => {
    const other = codeTools([
      { server: 'a', name: 'x1', description: '列出仓库中的所有问题', inputSchema: {} },
      { server: 'a', name: 'x2', description: '注文をキャンセルする', inputSchema: {} },
    ]);
    expect(searchTools(other, '请关闭这个问题', 5).map(({ name }) => name)).toEqual(['a.x1']);
    expect(searchTools(other, '昨日の注文', 5).map(({ name }) => name)).toEqual(['a.x2']);
  });

  it('takes tasks and texts of any length and kind', () => {
    const odd = codeTools([
      { server: 'a', name: 'A'.repeat(128), description: 'Ä'.repeat(16_000), inputSchema: {} },
      { server: 'a', name: 'größe', description: 'Maße und Größen', inputSchema: { properties: [] } },
    ]);
    expect(searchTools(odd, `${'x '.repeat(100_000)}`, 5)).toEqual([]);
    expect(searchTools(odd, 'groesse grosse größen', 5).map(({ name }) => name)).toEqual(['a.größe']);
  });
});
