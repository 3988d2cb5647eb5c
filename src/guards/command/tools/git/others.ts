// Other systems that keep versions.

import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  type Tools,
  textOf,
} from '../tool.ts';

/** Other systems that keep versions, in the words of git. */
export const otherTools: Tools = {
  svn: (call) => {
    const verb =
      textOf(call.args.find((argument) => !beginningOf(argument).startsWith('-')) ?? literal('help')) ??
      'unknown';
    if (/^(?:st|stat|status|log|diff|di|info|ls|list|cat|blame|help|proplist|propget|pg|pl)$/.test(verb))
      return inert(call);
    if (/^(?:revert|cleanup)$/.test(verb))
      return [
        effect(call, 'git', {
          detail: 'discard',
          recursive: call.args.some((argument) =>
            /^(?:-R|--recursive|--remove-unversioned)/.test(beginningOf(argument)),
          ),
        }),
      ];
    return [
      effect(call, 'git', {
        detail: /^(?:ci|commit|import|copy|cp|mkdir|delete|del|rm|remove|move|mv|lock|unlock)$/.test(verb)
          ? 'push'
          : 'fetch',
      }),
    ];
  },
  hg: (call) => {
    const given = options('R= config= cwd= y v q debug', { stopAtOperand: true })(call.args);
    const verb = textOf(given.operands[0] ?? literal('help')) ?? 'unknown';
    const forced = given.operands.some((argument) =>
      /^(?:-C|--clean|-f|--force|--all|-a)$/.test(textOf(argument) ?? ''),
    );
    const runs = given
      .all('config')
      .filter((setting) =>
        /^(?:alias|hooks|extensions|ui\.(?:editor|ssh|merge)|merge-tools|pager)/.test(beginningOf(setting)),
      )
      .map((setting) => effect(call, 'run', { detail: 'git-config', target: nameTarget(setting) }));
    if (
      /^(?:st|status|log|diff|id|identify|heads|tip|branches|tags|cat|annotate|blame|summary|sum|paths|help|version|root|manifest|files|grep|parents|incoming|outgoing|in|out|bookmarks|verify|showconfig|config)$/.test(
        verb,
      )
    )
      return orInert(call, runs);
    const detail =
      verb === 'push'
        ? forced
          ? 'force-push'
          : 'push'
        : /^(?:revert|purge|clean|up|update|co|checkout)$/.test(verb)
          ? forced || verb === 'purge' || verb === 'clean'
            ? 'discard'
            : 'switch'
          : /^(?:strip|rollback|histedit|rebase|prune)$/.test(verb)
            ? 'rewrite'
            : /^(?:pull|clone|fetch)$/.test(verb)
              ? 'fetch'
              : 'commit';
    return [...runs, effect(call, 'git', { detail })];
  },
  jj: (call) => {
    const words = call.args.map(beginningOf);
    if (/^(?:st|status|log|diff|show|version|help|config|root|files|op|operation)$/.test(words[0] ?? 'log'))
      return inert(call);
    return [
      effect(call, 'git', {
        detail:
          words[0] === 'git' && words[1] === 'push'
            ? 'push'
            : words[0] === 'abandon' || words[0] === 'restore'
              ? 'discard'
              : 'commit',
        reversible: words[1] !== 'push',
      }),
    ];
  },
};
