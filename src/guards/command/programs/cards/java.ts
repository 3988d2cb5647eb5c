// Java: it names a class or an archive, and what its agents are is code too.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  pathTarget,
  textOf,
} from '../../tools/tool.ts';
import type { Card, Given } from '../card.ts';

function runs(call: Call, given: Given<Value>): readonly Effect[] {
  if (given.has('version', 'help', 'h')) return inert(call);
  const archive = given.last('jar');
  const main = given.last('m', 'module') ?? given.operands[0];
  if (archive && /jenkins-cli\.jar$/.test(beginningOf(archive))) {
    const verb = given.operands.map(beginningOf).find((word) => /^[a-z]+(?:-[a-z]+)*$/.test(word)) ?? '';
    if (/^(?:list|get|help|version|who-am-i|console|show|session-id)/.test(verb)) return inert(call);
    return [
      effect(call, 'cloud', {
        detail: /^(?:delete|disable|remove|clear|cancel|stop|shutdown|quiet-down)/.test(verb)
          ? 'delete'
          : 'change',
        target: nameTarget(literal(verb)),
      }),
    ];
  }
  if (archive) return [effect(call, 'run', { detail: 'script', target: pathTarget(archive) })];
  // Without a path of classes, they are those of the folder; where all of it is known, its folders are judged on their own.
  const elsewhere =
    given.has('m', 'module') ||
    pathsOfClasses(given) === null ||
    call.args.some((argument) => /^(?:-(?:javaagent|agent|Xboot|Xrun|XX:)|@|$)/.test(beginningOf(argument)));
  if (
    main &&
    !elsewhere &&
    /^[A-Za-z_][\w.]*$/.test(textOf(main) ?? '') &&
    !/\.java$/.test(beginningOf(main))
  )
    return inert(call, 'project');
  return main
    ? [
        effect(call, 'run', {
          detail: 'script',
          target: /\.java$/.test(beginningOf(main)) ? pathTarget(main) : nameTarget(main),
        }),
      ]
    : [];
}

/** The folders and archives that classes are taken from; null where some are not known. */
function pathsOfClasses(given: Given<Value>): readonly string[] | null {
  const lists = given.all('cp', 'classpath', 'class-path', 'p', 'module-path').map(textOf);
  return lists.every((list) => list !== null) ? lists.flatMap((list) => list.split(':')) : null;
}

const java: Card = {
  names: 'java',
  idle: true,
  options:
    'jar= cp= classpath= class-path= p= module-path= m= module= version help h X? D? verbose? ea da showversion',
  manner: { wholeWords: true, stopAtOperand: true },
  readings:
    'jar cp classpath class-path p module-path m module; version help h ea da showversion; X D verbose',
  facts: [
    {
      what: 'runs a class or an archive',
      effects: runs,
      examples: {
        hit: {
          'java -jar a.jar b': 'run a.jar (script)',
          'java Main a': 'inert (project)',
          'java -Xmx1g -Da=b Main': 'inert (project)',
          'java -cp /a:b Main': 'inert (project)',
          'java -classpath a Main': 'inert (project)',
          'java --class-path a Main': 'inert (project)',
          'java -cp $CLASSES Main': 'run Main (script)',
          'java -p a -m b/c': 'run b/c (script)',
          'java --module-path a --module b c': 'run b (script)',
          'java -javaagent:/a.jar Main': 'run Main (script)',
          'java -agentpath:/a.so Main': 'run Main (script)',
          'java -Xbootclasspath/a:b Main': 'run Main (script)',
          'java -Xrunjdwp Main': 'run Main (script)',
          'java -XX:OnError=a Main': 'run Main (script)',
          'java @args Main': 'run @args (script)',
          'java A.java b': 'run A.java (script)',
          'java -m b': 'run b (script)',
          'java $MAIN': 'run … (script)',
          'java -<version help h>': 'inert',
          'java -jar jenkins-cli.jar <list get help version who-am-i console show session-id>-jobs': 'inert',
          'java -jar a/jenkins-cli.jar <delete disable remove clear cancel stop shutdown quiet-down>-job b':
            'cloud <>-job (delete)',
          'java -jar jenkins-cli.jar -s http://h.example/ create-job a': 'cloud create-job (change)',
        },
        miss: ['java'],
      },
    },
    {
      what: 'takes classes from folders and archives elsewhere',
      effects: (call, given) =>
        (pathsOfClasses(given) ?? [])
          .filter((path) => /^(?:[/~]|\.\.\/)/.test(path))
          .map((path) =>
            effect(call, 'run', { detail: 'loaded', target: pathTarget(literal(path)), origins: [] }),
          ),
      examples: {
        hit: {
          'java -<cp classpath p> /tmp/a:b Main': 'run /tmp/a (loaded)',
          'java --<class-path module-path> b:~/a.jar Main': 'run ~/a.jar (loaded)',
        },
        miss: ['java -cp a:b Main', 'java Main', 'java -cp $CLASSES Main'],
      },
    },
    {
      what: 'loads agents, which are code',
      effects: (call) =>
        call.args.flatMap((word) => {
          const path = /^-(?:javaagent|agentpath):([^=]+)/.exec(beginningOf(word))?.[1];
          return path === undefined
            ? []
            : [effect(call, 'run', { detail: 'loaded', target: pathTarget(literal(path)), origins: [] })];
        }),
      examples: {
        hit: {
          'java -javaagent:/tmp/a.jar=b -version': 'run /tmp/a.jar (loaded)',
          'java -agentpath:/tmp/a.so -version': 'run /tmp/a.so (loaded)',
        },
        miss: ['java -Xmx1g -version', 'java -agentlib:jdwp=a -version'],
      },
    },
  ],
};

export const cards = [java];
