// Policies: one request to the engine with the policies that can apply, beside the same request with all of them.

import type { Context } from '../src/core/index.ts';
import { baseline } from '../src/policy/baseline.ts';
import { compileAll } from '../src/policy/compile.ts';
import { PolicySet } from '../src/policy/engine.ts';
import { judgeByPolicy } from '../src/policy/judge.ts';
import { askedOf, requestsOf } from '../src/policy/request.ts';
import { loadCedar } from '../src/policy/schema.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const context: Context = {
  user: 'ann',
  tenant: 'acme',
  agent: 'coder',
  session: 's1',
  workspace: '/srv/shop',
  mode: 'default',
};

const tools = 200;

/** As many policies as a company might have: most about one tool, some about a user, an agent or an action. */
function policiesOf(count: number): string {
  const shapes = [
    (at: number) => `forbid (principal, action, resource == Tool::"tool${at % tools}")
      when { context.mode == "plan" && context.rules.contains("rule${at}") };`,
    (at: number) => `forbid (principal in User::"user${at}", action, resource is Tool)
      when { context.risk == "critical" };`,
    (at: number) =>
      `forbid (principal, action == Action::"fetch", resource in Host::"host${at}.example.com");`,
    (at: number) => `@decision("approve")
      forbid (principal == Agent::"agent${at}", action in Action::"irreversible", resource);`,
    (at: number) => `forbid (principal, action, resource in ToolServer::"server${at}")
      unless { context.contracts.contains("AG-TOOL-3") };`,
  ];
  const texts = Array.from({ length: count }, (_, at) => shapes[at % shapes.length]?.(at) ?? '');
  return texts.map((text, at) => `@id("policy${at}")\n${text}`).join('\n');
}

/** Different calls, so that no answer is one that was kept. */
function requests(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const action = { kind: 'tool', tool: `tool${at % tools}`, server: 'shop', arguments: {} } as const;
    const part = { pointer: '', action, facts: { effect: 'read' }, sideEffect: false };
    return { parts: [part], findings: [] };
  });
}

export const policy: Benchmark = async (progress) => {
  const cedar = await loadCedar();
  const rows: Row[] = [];
  for (const count of [100, 1000]) {
    progress(`${count} policies`);
    const source = { name: 'bench.cedar', text: policiesOf(count), workspace: false };
    const set = new PolicySet(cedar, await compileAll([baseline, source]));
    const all = set.policies.map((_, at) => at);
    const asked = requests(tools * 4).flatMap((question) =>
      requestsOf(askedOf(question, context.workspace), context),
    );
    const measured = asked.map((request) => {
      // In turns, so that both meet the same machine.
      const one = timed(() => {
        const slice = set.slice(request);
        return set.ask(request, slice);
      });
      const other = timed(() => set.ask(request, all));
      if (JSON.stringify(one.answer) !== JSON.stringify(other.answer)) throw new Error('the answers differ');
      return [one.time, other.time] as const;
    });
    // The first round reads the slices into the engine.
    const later = measured.slice(tools);
    const [ours, floor] = [median(later.map(([time]) => time)), median(later.map(([, time]) => time))];
    rows.push({
      what: `${count} policies, the slice against all`,
      ours: `${short(ours)} ms`,
      floor: `${short(floor)} ms`,
      ratio: short(ours / floor),
      goal: count === 1000 ? '≤ 0.05' : '≤ 0.5',
      met: ours / floor <= (count === 1000 ? 0.05 : 0.5),
    });
    rows.push(await decisions(count, source));
  }
  return rows;
};

/** The policy's part of a decision as the path asks for it, repeated calls among others. */
async function decisions(count: number, source: Parameters<typeof compileAll>[0][number]): Promise<Row> {
  const settings = { policy: { fallback: 'permit', sources: [source] }, sources: [] } as const;
  const taken: number[] = [];
  for (const question of requests(tools * 4)) {
    const start = performance.now();
    await judgeByPolicy(question, context, settings);
    taken.push(performance.now() - start);
  }
  const ours = median(taken.slice(tools));
  return {
    what: `${count} policies, a call that was asked about before`,
    ours: `${short(ours)} ms`,
    floor: '0.5 ms a decision',
    ratio: short(ours / 0.5),
    goal: '≤ 0.2',
    met: ours / 0.5 <= 0.2,
  };
}

/** What something came to, and how long it took. */
function timed<T>(work: () => T): { readonly answer: T; readonly time: number } {
  const start = performance.now();
  const answer = work();
  return { answer, time: performance.now() - start };
}
