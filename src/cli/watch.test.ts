import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { context, finding } from '../../tests/support/decide.ts';
import { openEnrolledLedger, person, temporaryFolder } from '../../tests/support/ledger.ts';
import type { Action, Finding, MaybePromise } from '../core/index.ts';
import type { Approval, Ledger } from '../ledger/index.ts';
import { listApproval, questionLines } from './show.ts';
import { Cancelled, type Terminal } from './terminal.ts';
import { notifyDesktop, watch } from './watch.ts';

const start = 1_700_000_000_000;

async function asked(
  ledger: Ledger,
  binding: string,
  action: Action,
  now = start - 10,
  agent = context.agent,
  more: Partial<Finding> = {},
): Promise<string> {
  const question = {
    action,
    context: { ...context, agent },
    findings: [finding({ decision: 'approve', message: 'is it meant?', rule: 'a_rule', ...more })],
  };
  const options = { binding, question, decisionId: binding, now, expiryMs: 300_000, maxPending: 10 };
  return (await ledger.approvals.ask(options)).id;
}

async function pendingOf(ledger: Ledger): Promise<Approval> {
  const id = await asked(ledger, 'pending', shell);
  return await ledger.approvals.show(id, {}, start);
}

/** A terminal at which a key is pressed whenever one is waited for with nothing before it. */
function typing(...script: (string | (() => MaybePromise<void>))[]) {
  let shown = '';
  const terminal: Terminal = {
    write: (text) => {
      shown += text;
    },
    size: () => ({ rows: 24, columns: 80 }),
    async key(withinMs) {
      if (withinMs === 0) return null;
      const next = script.shift();
      if (next === undefined) throw new Cancelled('cancelled');
      if (typeof next === 'string') return next;
      await next();
      return null;
    },
    close: () => undefined,
  };
  return { terminal, shown: () => shown, left: () => script.length };
}

async function watching(ledger: Ledger, ...script: Parameters<typeof typing>) {
  const { terminal, shown, left } = typing(...script);
  let time = start;
  let notes = 0;
  const run = watch({
    ledger,
    terminal,
    signer: person,
    by: 'ann',
    now: () => time,
    paint: (_, text) => text,
    notify: () => {
      notes++;
    },
  });
  return {
    shown,
    left,
    notes: () => notes,
    wait: (ms: number) => {
      time += ms;
    },
    run,
  };
}

const shell: Action = {
  kind: 'shell',
  command: 'rm -rf build\n\u202etxt',
  justification: 'to tidy\u001b[2K',
};

describe('watching', () => {
  it('shows the question whole and without tricks, and answers with one key', async () => {
    const ledger = await openEnrolledLedger();
    const [yes, no] = [await asked(ledger, 'a', shell), await asked(ledger, 'b', shell, start - 9)];
    const { run, shown, notes } = await watching(ledger, 'x', 'Y', 'n', 'q');
    await run;
    expect(shown()).toContain(`${yes}  coder asks, 5 min left
  what       shell
             $ rm -rf build
             $ \\u{202e}txt
  where      /work (session s1, mode default)
  why        is it meant? [fetch/a_rule]
  it says    to tidy\\u{1b}[2K
`);
    expect((await ledger.approvals.show(yes, {}, start)).state).toBe('approved');
    expect((await ledger.approvals.show(no, {}, start)).state).toBe('denied');
    expect(notes()).toBe(2);
  });

  it('lists all that wait, and shows the one that the person takes first', async () => {
    const ledger = await openEnrolledLedger();
    const first = await asked(ledger, 'a', shell);
    const second = await asked(ledger, 'b', { kind: 'shell', command: 'git push' }, start - 9);
    const { run, shown } = await watching(ledger, '2', 'n', '2', 'q');
    await run;
    expect(shown()).toContain(
      `2 wait:\n  1  ${first}  coder  rm -rf build \\u{202e}txt\n  2  ${second}  coder  git push\n`,
    );
    expect(shown()).toContain('y yes, once   n no   l later   1-2 another   q quit: 2\n');
    const state = async (id: string) => (await ledger.approvals.show(id, {}, start)).state;
    expect([await state(first), await state(second)]).toEqual(['pending', 'denied']);
    // One question has no digits: the second "2" is no key.
    expect(shown().match(/ wait:/g)).toHaveLength(2);
  });

  it.each([
    ['s', { session: 's1', workspace: '/work' }, 'session s1 only'],
    ['p', { session: null, workspace: '/work' }, 'in /work, for agent coder'],
    ['a', { session: null, workspace: '*' }, 'in every project'],
  ] as const)('allows with %s for longer, and shows what that is', async (key, place, shows) => {
    const ledger = await openEnrolledLedger();
    const grant = { grant: 'command read /work/.env' };
    const id = await asked(ledger, 'a', shell, start - 10, context.agent, grant);
    const { run, shown } = await watching(ledger, key, 'q');
    await run;
    expect(shown()).toContain(`  longer     sallyport allow ${id}: commands that read /work/.env\n`);
    expect(shown()).toContain(`y yes, once   30 d: s session, p project, a always   n no`);
    expect(shown()).toContain(shows);
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('approved');
    expect(await ledger.permissions.list({}, start)).toMatchObject([{ effect: grant.grant, ...place }]);
  });

  it('offers no more than once where the question is asked every time', async () => {
    const ledger = await openEnrolledLedger();
    const closed = { grant: 'exactly x', contract: 'AG-TOOL-3' };
    const id = await asked(ledger, 'a', shell, start - 10, context.agent, closed);
    const { run, shown } = await watching(ledger, 's', 'p', 'a', 'q');
    await run;
    expect(shown()).not.toContain('sallyport allow');
    expect(shown()).toContain('y yes, once   n no');
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('pending');
    expect(await ledger.permissions.list({}, start)).toEqual([]);
  });

  it('takes no key that was pressed before the question stood there', async () => {
    const ledger = await openEnrolledLedger();
    const id = await asked(ledger, 'a', shell);
    const { terminal } = typing('q');
    const early = ['y', 'y'];
    await watch({
      ledger,
      terminal: { ...terminal, key: async (ms) => (ms === 0 ? (early.shift() ?? null) : terminal.key(ms)) },
      signer: person,
      by: 'ann',
      now: () => start,
      paint: (_, text) => text,
      notify: () => undefined,
    });
    expect(early).toEqual([]);
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('pending');
  });

  it('leaves for later what the person leaves', async () => {
    const ledger = await openEnrolledLedger();
    const id = await asked(ledger, 'a', shell);
    const { run, left } = await watching(ledger, 'l', 'z', 'q');
    await run;
    expect(left()).toBe(0);
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('pending');
  });

  it('goes on when somebody else answered, and when the time is over', async () => {
    const ledger = await openEnrolledLedger();
    const elsewhere = await asked(ledger, 'a', shell);
    const late = await asked(ledger, 'b', shell, start - 9);
    const session = await watching(
      ledger,
      async () => void (await ledger.approvals.answer(elsewhere, 'deny', 'bob', null, {}, start)),
      () => session.wait(400_000),
      'q',
    );
    await session.run;
    expect(session.shown()).toContain('it is denied already');
    expect(session.shown()).toContain('it is expired already');
    expect((await ledger.approvals.show(late, {}, start + 400_000)).state).toBe('expired');
  });

  it('tells when the answer came too late', async () => {
    const ledger = await openEnrolledLedger();
    const id = await asked(ledger, 'a', shell);
    const { approvals } = ledger;
    const racing = {
      pending: approvals.pending.bind(approvals),
      show: approvals.show.bind(approvals),
      answer: async (...parts: Parameters<typeof approvals.answer>) => {
        await approvals.answer(id, 'deny', 'bob', null, {}, start);
        return await approvals.answer(...parts);
      },
    };
    const session = await watching({ approvals: racing } as unknown as Ledger, 'y', 'q');
    await session.run;
    expect(session.shown()).toContain('is denied already');
    expect((await approvals.show(id, {}, start)).state).toBe('denied');
  });

  it('lets another agent have its turn before one that asks much', async () => {
    const ledger = await openEnrolledLedger();
    for (const [index, command] of ['first', 'second', 'third'].entries())
      await asked(ledger, command, { kind: 'shell', command }, start - 9 + index);
    await asked(ledger, 'other', { kind: 'shell', command: 'other' }, start - 1, 'helper');
    const session = await watching(ledger, 'n', 'l', 'n', 'q');
    await session.run;
    const order = ['first', 'other', 'second', 'third'].map((word) => session.shown().indexOf(`$ ${word}`));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(order[0]).toBeGreaterThan(-1);
  });

  it('ends with Ctrl-C and answers nothing', async () => {
    const ledger = await openEnrolledLedger();
    const id = await asked(ledger, 'a', shell);
    const { run } = await watching(ledger);
    await expect(run).rejects.toThrow(Cancelled);
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('pending');
  });

  it('shows an edit as a difference and a write against the file', async () => {
    const ledger = await openEnrolledLedger();
    const edit = { file_path: 'a.ts', old_string: 'a\nb\n', new_string: 'a\nc\n', replace_all: false };
    await asked(ledger, 'a', { kind: 'tool', tool: 'Edit', arguments: edit });
    await asked(ledger, 'b', { kind: 'write', path: 'none.txt', content: 'line 0\nline 1' }, start - 9);
    await asked(ledger, 'c', { kind: 'python', source: 'import os\nos.remove("x")' }, start - 8);
    await asked(
      ledger,
      'd',
      { kind: 'tool', tool: 'send', server: 'mail', arguments: { body: 'x\ny' } },
      start - 7,
    );
    const { run, shown } = await watching(ledger, 'n', 'n', 'n', 'n', 'q');
    await run;
    expect(shown()).toContain(`tool Edit
             file_path: a.ts
             replace_all: false
               a
             - b
             + c
`);
    expect(shown()).toContain('write none.txt\n             + line 0\n');
    expect(shown()).toContain('python\n             | import os\n             | os.remove("x")\n');
    expect(shown()).toContain('tool send of mail\n             body:\n             | x\n             | y\n');
  });
});

describe('a long question', () => {
  const deceiving: Action = {
    kind: 'shell',
    command: `frobnicate --safe${' '.repeat(6000)}; frobnicate --wipe-prod${'\n'.repeat(300)}frobnic\u0430te`,
  };

  it('is shown with its blanks and line breaks as counts', async () => {
    const ledger = await openEnrolledLedger();
    await asked(ledger, 'a', deceiving);
    const { run, shown } = await watching(ledger, 'n', 'q');
    await run;
    expect(shown()).toContain(`
             $ frobnicate --safe⟨6,000 blanks⟩; frobnicate --wipe-prod
             $ ⟨300 line breaks⟩
             $ frobnic\\u{430}te
`);
  });

  it('takes a yes only at its end, and a no at once', async () => {
    const ledger = await openEnrolledLedger();
    const content = Array.from({ length: 60 }, (_, number) => `line ${number}`).join('\n');
    const id = await asked(ledger, 'a', { kind: 'write', path: 'none.txt', content });
    const early = await watching(ledger, 'y', 'Y', '\r', 'y', 'l', 'q');
    await early.run;
    expect(early.shown()).toMatch(
      /\n {2}\d+ characters more: Enter shows them {3}n no {3}l later {3}q quit: /,
    );
    expect(early.shown()).not.toContain('line 59');
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('pending');
    const whole = await watching(ledger, '\r', ' ', '\r', 'y', 'q');
    await whole.run;
    expect(whole.shown()).toContain('line 59');
    expect((await ledger.approvals.show(id, {}, start)).state).toBe('approved');
    const other = await asked(ledger, 'b', { kind: 'write', path: 'none.txt', content });
    await (await watching(ledger, 'n', 'q')).run;
    expect((await ledger.approvals.show(other, {}, start)).state).toBe('denied');
  });

  it('shows where a request goes before what it sends, and what the findings point at first', async () => {
    const ledger = await openEnrolledLedger();
    const body = `${'x '.repeat(2000)}end`;
    await asked(ledger, 'a', { kind: 'fetch', body, method: 'POST', url: 'https://a.example/' });
    const { run, shown } = await watching(ledger, 'n', 'q');
    await run;
    expect(shown()).toContain(`  what       fetch
             url: https://a.example/
             method: POST
             body: x x`);
    const command = `${'echo 1\n'.repeat(60)}frobnicate --wipe`;
    const pointed = finding({ decision: 'approve', pointer: '/command', span: [420, 437] });
    const question = { action: { kind: 'shell', command } as const, context, findings: [pointed] };
    const { head } = questionLines((_, text) => text, { ...(await pendingOf(ledger)), question }, start);
    expect(head.slice(1)).toEqual(['  what       shell', '  asks for   frobnicate --wipe']);
  });

  it('is cut in a list, where nothing is answered, and the rest is counted', async () => {
    const ledger = await openEnrolledLedger();
    const id = await asked(ledger, 'a', { kind: 'shell', command: 'x'.repeat(5000) });
    const printed: string[] = [];
    const io = {
      print: (text: string) => void printed.push(text),
      paint: (_: unknown, text: string) => text,
    };
    for (const approval of await ledger.approvals.pending({}, start)) listApproval(io, approval, start);
    expect(printed[2]).toHaveLength(13 + 2000);
    expect(printed[3]).toBe(`             … 3,002 characters more; sallyport approve ${id} shows them`);
    expect(printed[4]).toContain('  where ');
  });

  it('counts empty lines that a change brings', async () => {
    const ledger = await openEnrolledLedger();
    const content = `a${'\n'.repeat(300)}b`;
    await asked(ledger, 'a', { kind: 'write', path: 'none.txt', content });
    const { run, shown } = await watching(ledger, 'n', 'q');
    await run;
    expect(shown()).toContain('+ a\n             + ⟨299 empty lines⟩\n             + b\n');
  });
});

describe('a note on the desktop', () => {
  it('tells nothing of the question, and gets nothing of the environment but the desktop', async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'notify');
    const said = join(folder, 'said');
    writeFileSync(
      program,
      `#!/bin/sh\necho "$@" > ${said}.part; /usr/bin/env >> ${said}.part; mv ${said}.part ${said}\n`,
      {
        mode: 0o755,
      },
    );
    notifyDesktop({ DISPLAY: ':1', SECRET: 'hunter2', PATH: '/bin' }, [
      ['/nowhere'],
      [program, 'A question waits.'],
    ]);
    while (!existsSync(said)) await new Promise((go) => setTimeout(go, 10));
    const text = readFileSync(said, 'utf8');
    expect(text).toContain('A question waits.');
    expect(text).toContain('DISPLAY=:1');
    expect(text).not.toContain('hunter2');
  });

  it('is left out where there is none', () => {
    expect(notifyDesktop({}, [['/nowhere/at/all']])).toBeUndefined();
  });
});
