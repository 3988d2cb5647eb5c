// Package managers of Python.

import { cardEffects } from '../../programs/card.ts';
import { pip } from '../../programs/cards/pip.ts';
import { packageRunOf } from '../../programs/packages.ts';
import {
  effect,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
} from '../tool.ts';
import { fetched, packages } from './effects.ts';

/** uv, poetry, pdm, pipenv, pipx, conda, …: project managers of Python. */
const python: Tool = (call) => {
  const given = options(
    'n/name= p/prefix/python= c/channel= f/file= r/requirement= y/yes q v dev D G/group= project= directory= all a dry-run with= index-url= repository= u/username= token= extra= override-channels build force index=',
  )(call.args);
  let [verb, ...names] = given.operands;
  if (given.has('dry-run')) return inert(call, 'dry-run');
  if (call.program === 'uv' && textOf(verb ?? unknownValue) === 'pip')
    return cardEffects(pip, {
      ...call,
      args: call.args.slice(call.args.indexOf(verb ?? unknownValue) + 1),
    });
  if (/^(?:tool|env|self|python|source|cache|global)$/.test(textOf(verb ?? unknownValue) ?? '')) {
    const group = textOf(verb ?? unknownValue);
    [verb, ...names] = names;
    if (group === 'tool' && textOf(verb ?? unknownValue) === 'run')
      return orInert(call, packageRunOf(call, names));
    if (group === 'cache') return packages(call, 'clean', [], { reversible: true });
  }
  const text = textOf(verb ?? literal('help'));
  if (text === null) return packages(call, 'install', names, { reversible: true });
  if (text === 'publish' || text === 'upload')
    return [effect(call, 'deploy', { detail: 'publish', target: nameTarget(given.last('repository')) })];
  if (
    /^(?:install|add|sync|lock|create|init|new|update|upgrade|ensurepath|inject|reinstall|reinstall-all|upgrade-all|venv|use)$/.test(
      text,
    )
  )
    return packages(call, /^up/.test(text) ? 'update' : 'install', names, { reversible: true });
  if (/^(?:uninstall|remove|rm|clean|uninject|uninstall-all|prune)$/.test(text))
    return packages(call, 'remove', names.length > 0 ? names : given.all('name'), {
      reversible: true,
      recursive: given.has('all') || text === 'uninstall-all',
    });
  if (text === 'run' || text === 'shell' || text === 'exec' || text === 'activate')
    return call.program === 'pipx' ? fetched(call, names[0] ?? unknownValue) : inert(call, 'project');
  return inert(call, 'project');
};

/** Package managers of Python but pip. */
export const pythonTools: Tools = {
  pipenv: python,
  pipx: python,
  poetry: python,
  pdm: python,
  hatch: python,
  rye: python,
  uv: python,
  conda: python,
  mamba: python,
  micromamba: python,
  easy_install: (call) => packages(call, 'install', call.args),
};
