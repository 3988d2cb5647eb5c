// Tools that build and check a project, and agents: known by their words alone.

import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  type Tool,
  type Tools,
  trusting,
} from './tool.ts';

/** Builtins of shells that only touch the shell itself, and wrappers whose inner command is judged on its own. */
const shellWords = 'csvtool fzf neofetch';

/** Viewers, counters and filters that show something and change nothing. */
const lookingWords = 'rpmspec';

const sayingNothing: Tool = (call) => inert(call);
/** The many names that share a few tools; where two lists have one name, the later has the say. */
const lists: readonly (readonly [string, Tool])[] = [
  [shellWords, sayingNothing],
  [lookingWords, sayingNothing],
];
let listed: ReadonlyMap<string, Tool> | undefined;

/** Those tools by name, put together when one is first asked for. */
export function listedTools(): ReadonlyMap<string, Tool> {
  listed ??= new Map(lists.flatMap(([words, tool]) => words.split(' ').map((word) => [word, tool] as const)));
  return listed;
}

/** Tools of no consequence that need a closer look; they have the say before the lists. */
export const inertTools: Tools = {
  direnv: (call) =>
    /^(?:allow|permit|grant)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? trusting(call, '.envrc')
      : inert(call),
  man: (call) => {
    const given = options('P/pager= H/html? C/config-file= f w a l/local-file= M= s= S= L= K t T? p= E= r=')(
      call.args,
    );
    const helper = given.last('pager', 'html');
    return helper && !/^(?:cat|less|more|)$/.test(beginningOf(helper))
      ? [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })]
      : inert(call);
  },
};
