// Fixtures run against an agent, and how they are told where they fail.

import { type Fixture, nameOf } from '../../src/cli/fixtures/fixture.ts';
import { type Agent, passed, type Result, runFixtures } from '../../src/cli/fixtures/run.ts';

/** What is not as it should be, in words; the agent is closed afterwards. */
export async function failures(fixtures: readonly Fixture[], agent: Agent): Promise<readonly string[]> {
  return (await results(fixtures, agent))
    .filter((result) => !passed(result))
    .map(
      ({ fixture, differences, problem, outcome }) =>
        `${nameOf(fixture)}: ${problem ?? JSON.stringify({ differences, outcome })}`,
    );
}

/** All results; the agent is closed afterwards. */
export async function results(fixtures: readonly Fixture[], agent: Agent): Promise<readonly Result[]> {
  try {
    const all: Result[] = [];
    for await (const result of runFixtures(fixtures, agent)) all.push(result);
    return all;
  } finally {
    await agent.close();
  }
}
