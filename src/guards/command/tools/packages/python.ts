// Package managers of Python.

import { packageRunOf } from '../../programs/packages.ts';
import {
  beginningOf,
  effect,
  inert,
  literal,
  type More,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';
import { fetched, packages, sourcesOf } from './effects.ts';

const pip: Tool = (call) => {
  const given = options(
    'r/requirement= e/editable= c/constraint= i/index-url= extra-index-url= f/find-links= t/target= prefix= root= user U/upgrade y/yes q v no-deps pre force-reinstall no-cache-dir break-system-packages python= cert= proxy= log= d/dest= w/wheel-dir= src= no-index dry-run trusted-host= system config-settings= only-binary= no-binary= platform= python-version= timeout= retries= cache-dir=',
  )(call.args);
  const [verb, ...names] = given.operands;
  const text = textOf(verb ?? literal('help'));
  if (given.has('dry-run')) return inert(call, 'dry-run');
  const scope: More = given.has('break-system-packages', 'system', 'root') ? {} : { reversible: true };
  if (text === null || /^(?:install|sync|compile)$/.test(text)) {
    const sources = given.all('requirement', 'constraint').flatMap((file) => read(call, file));
    const all = [...names, ...given.all('editable')];
    return [
      ...sources,
      ...packages(call, 'install', all, scope),
      ...(given.has('target') ? write(call, given.last('target') ?? unknownValue, { detail: 'create' }) : []),
    ];
  }
  if (text === 'uninstall') return packages(call, 'remove', names, { reversible: true });
  if (text === 'download' || text === 'wheel')
    return [
      ...sourcesOf(call, names),
      ...write(call, given.last('dest', 'wheel-dir') ?? literal('.'), {
        detail: 'create',
        origins: ['network'],
      }),
    ];
  if (text === 'config')
    return /^(?:set|unset|edit)$/.test(beginningOf(names[0] ?? literal('')))
      ? packages(call, 'sources', names.slice(1))
      : inert(call);
  if (text === 'cache')
    return /^(?:purge|remove)$/.test(beginningOf(names[0] ?? literal('')))
      ? packages(call, 'clean', [], { reversible: true })
      : inert(call);
  return inert(call);
};

/** uv, poetry, pdm, pipenv, pipx, conda, …: project managers of Python. */
const python: Tool = (call) => {
  const given = options(
    'n/name= p/prefix/python= c/channel= f/file= r/requirement= y/yes q v dev D G/group= project= directory= all a dry-run with= index-url= repository= u/username= token= extra= override-channels build force index=',
  )(call.args);
  let [verb, ...names] = given.operands;
  if (given.has('dry-run')) return inert(call, 'dry-run');
  if (call.program === 'uv' && textOf(verb ?? unknownValue) === 'pip')
    return pip({ ...call, args: call.args.slice(call.args.indexOf(verb ?? unknownValue) + 1) });
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

const twine: Tool = (call) =>
  textOf(call.args[0] ?? literal('check')) === 'check'
    ? inert(call)
    : [effect(call, 'deploy', { detail: 'publish' })];

/** pip and its kin. */
export const pythonTools: Tools = {
  pip,
  pip3: pip,
  pip2: pip,
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
  pyenv: (call) =>
    /^(?:install|uninstall)$/.test(beginningOf(call.args[0] ?? unknownValue))
      ? packages(
          call,
          beginningOf(call.args[0] ?? unknownValue) === 'install' ? 'install' : 'remove',
          call.args.slice(1),
          { reversible: true },
        )
      : inert(call),
  easy_install: (call) => packages(call, 'install', call.args),
  twine,
  flit: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'publish'
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call, 'project'),
  virtualenv: (call) => write(call, call.args.at(-1) ?? unknownValue, { detail: 'create' }),
};
