// Compose, as a subcommand of an engine and as a program.

import { beginningOf, effect, inert } from '../../../tools/tool.ts';
import { container, copyAcross, deploy, inContainer, reach } from '../../containers.ts';
import { each, forAll, same } from '../../examples.ts';
import { copyOptions, type Part, removeOptions, runOptions } from './part.ts';
import { options } from './readings.ts';

const { readings } = options;

export const composeOptions =
  'f/file= p/project-name= profile= env-file= project-directory= workdir= parallel= ansi= progress= compatibility dry-run';

/** Options with which only names are shown, or nothing. */
const namesOnly = /^(?:-q|--(?:quiet|services|images|volumes|networks|profiles|hash|no-interpolate))\b/;

const execOptions = '+ u/user= w/workdir= e/env= index= d/detach T/no-TTY privileged';

/** `program` is what stands before its subcommands: `docker compose`, or its own name. */
export function composePart(program: string, verbs: Part['verbs'] = {}): Part {
  const before = program === 'docker compose' ? 'compose ' : '';
  const spelled = (words: string): string => each(`${before}%`, words).join(' | ');
  const named = (words: string): readonly string[] => each(`${before}%`, words);
  const changing = { reversible: true };
  return {
    verbs: {
      ...verbs,
      [spelled('down')]: removeOptions,
      [spelled('rm')]: removeOptions,
      [spelled('kill')]: 's/signal=',
      [spelled('stop pause')]: removeOptions,
      [spelled('exec')]: execOptions,
      [spelled('run')]: runOptions,
      [spelled('up start create restart unpause scale watch')]: removeOptions,
      [spelled('push publish')]: '',
      [spelled('build')]: '',
      [spelled('pull')]: '',
      [spelled('cp')]: copyOptions,
    },
    verbReadings: {
      ...(before === '' ? {} : { compose: readings.compose }),
      ...forAll(named('down rm stop up'), readings.remove),
      ...forAll(named('kill'), readings.signal),
      ...forAll(named('exec'), readings.exec),
      ...forAll(named('run'), readings.run),
      ...forAll(named('cp'), readings.copy),
    },
    facts: [
      {
        what: 'shows the settings of a project with its variables filled in',
        ...(before === '' ? {} : { verbs: ['compose'] }),
        effects: (call, given) => {
          const [verb, ...names] = [...given.operands, ...(given.behindDashes ?? [])].map(beginningOf);
          const silent = call.args.some((word) => namesOnly.test(beginningOf(word)));
          const own = given.verb === (before === '' ? null : 'compose');
          return own && /^(?:config|convert)$/.test(verb ?? '') && !silent && names.length === 0
            ? [effect(call, 'secret', { detail: 'environment' })]
            : [];
        },
        examples: {
          hit: same('secret (environment)', ...each(`${program} %`, 'config convert')),
          miss: [
            ...each(
              `${program} config %`,
              '-q --quiet --services --images --volumes --profiles --no-interpolate',
            ),
            `${program} ps`,
          ],
        },
      },
      {
        what: 'starts, stops and removes the containers of a project',
        verbs: named('down rm kill stop up push build pull cp'),
        effects: (call, given) => {
          if (given.before.has('dry-run')) return inert(call, 'dry-run');
          const volumes = given.has('volumes');
          const kept = volumes ? {} : { reversible: true };
          switch (given.verb?.slice(before.length)) {
            case 'down':
              return container(call, volumes ? 'volume-delete' : 'down', [], kept);
            case 'rm':
              return container(call, 'delete', given.operands, { force: given.has('force'), ...kept });
            case 'up':
              return container(call, 'up', [], changing);
            case 'push':
              return [deploy(call, 'push-image')];
            case 'build':
              return container(call, 'build', [], changing);
            case 'pull':
              return container(call, 'pull', [], changing);
            case 'cp':
              return copyAcross(call, given);
            default:
              return container(call, 'stop', given.operands, changing);
          }
        },
        examples: {
          hit: {
            [`${program} down`]: 'container (down) reversible',
            ...same('container (volume-delete)', `${program} down -v`, `${program} -f a.yml down --volumes`),
            [`${program} rm -s a b`]: 'container a (delete) reversible; container b (delete) reversible',
            ...same('container a (delete) force reversible', `${program} rm -f a`, `${program} rm --force a`),
            [`${program} rm -v a`]: 'container a (delete)',
            ...same('container a (stop) reversible', ...each(`${program} % a`, 'kill stop pause')),
            [`${program} kill -s INT a`]: 'container a (stop) reversible',
            ...same(
              'container (up) reversible',
              ...each(`${program} %`, 'up start create restart unpause scale watch'),
            ),
            [`${program} -p x --profile y up -d`]: 'container (up) reversible',
            ...same('deploy (push-image)', `${program} push a`, `${program} publish a`),
            [`${program} build`]: 'container (build) reversible',
            [`${program} pull`]: 'container (pull) reversible',
            [`${program} cp web:/a ./b`]: 'write ./b (copy) recursive; container (copy)',
            [`${program} cp a web:/b`]: 'read a recursive; container (copy)',
            [`${program} --dry-run down -v`]: 'inert (dry-run)',
          },
          miss: [program, ...each(`${program} %`, 'ps logs config images top version'), `${program} $WHAT`],
        },
      },
      {
        what: 'runs a program in a container of a project',
        verbs: named('exec run'),
        effects: (call, given) => {
          if (given.before.has('dry-run')) return inert(call, 'dry-run');
          const exec = given.verb === `${before}exec`;
          const names = container(call, exec ? 'exec' : 'run', given.operands.slice(0, 1));
          return exec ? names : [...names, ...reach(call, given)];
        },
        starts: (_, given) => inContainer(given, runOptions),
        examples: {
          hit: {
            [`${program} exec -T -u root web rm -rf /`]: 'container web (exec); program: rm -rf /',
            [`${program} exec web`]: 'container web (exec)',
            [`${program} run --rm -v ./a:/b web cat /b/c`]:
              'container web (run); write ./a (mount) recursive; program: cat ./a/c',
            [`${program} run --entrypoint sh web -c ls`]: 'container web (run); program: sh -c ls',
            [`${program} --dry-run run web`]: 'inert (dry-run)',
          },
          miss: [program, `${program} ps`, `${program} up`],
        },
      },
      {
        what: 'does something that is not known',
        ...(before === '' ? {} : { verbs: ['compose'] }),
        effects: (call, given) =>
          given.verb === (before === '' ? null : 'compose') &&
          (given.operands[0]?.kind ?? 'literal') !== 'literal'
            ? [effect(call, 'container', { detail: 'unknown' })]
            : [],
        examples: {
          hit: { [`${program} $WHAT`]: 'container (unknown)' },
          miss: [program, `${program} ps`, `${program} rm $WHAT`],
        },
      },
    ],
  };
}
