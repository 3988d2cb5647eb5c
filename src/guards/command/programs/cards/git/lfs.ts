// Git LFS, as a subcommand of git and as a program.

import { literal, nameTarget, write } from '../../../tools/tool.ts';
import { each, same } from '../../examples.ts';
import { git, type Part } from './part.ts';

/** `program` is what stands before its subcommands: `git lfs`, or its own name. */
export function lfsPart(program: string, verbs: Part['verbs'] = {}): Part {
  const before = program === 'git lfs' ? 'lfs ' : '';
  const spelled = (words: string): string => each(`${before}%`, words).join(' | ');
  return {
    verbs: {
      ...verbs,
      [spelled('env ls-files status logs version pointer locks fsck')]: '',
      [spelled('track untrack')]: '',
      [spelled('install uninstall')]: '',
      [spelled('push')]: '',
      [spelled('migrate')]: '',
      [spelled('prune')]: '',
    },
    verbReadings: {},
    facts: [
      {
        what: 'keeps large files elsewhere',
        ...(before === '' ? {} : { verbs: ['lfs', ...each('lfs %', 'track install push migrate prune')] }),
        effects: (call, given) => {
          switch (given.verb?.slice(before.length)) {
            case 'env':
              return [];
            case 'track':
              return write(call, literal('.gitattributes'), { detail: 'edit' });
            case 'push':
              return [git(call, 'push', { target: nameTarget(given.operands[0]) })];
            case 'migrate':
              return [git(call, 'rewrite', { force: true })];
            case 'prune':
              return [git(call, 'prune', { reversible: true })];
            case 'install':
              return [git(call, 'config', { reversible: true })];
            default:
              return given.operands.length > 0 ? [git(call, 'fetch', { reversible: true })] : [];
          }
        },
        examples: {
          hit: {
            ...same('write .gitattributes (edit)', ...each(`${program} %`, 'track untrack')),
            [`${program} push origin main`]: 'git origin (push)',
            [`${program} migrate import`]: 'git (rewrite) force',
            [`${program} prune`]: 'git (prune) reversible',
            ...same('git (config) reversible', ...each(`${program} %`, 'install uninstall')),
            ...same('git (fetch) reversible', ...each(`${program} %`, 'fetch pull checkout $WHAT')),
          },
          miss: [
            program,
            `${program.replace(/ .*/, '')} status a`,
            ...each(`${program} %`, 'env ls-files status logs version pointer locks fsck'),
          ],
        },
      },
    ],
  };
}
