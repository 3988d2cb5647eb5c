// How the examples of cards write down effects, what is started and what is printed: one line for all of them.

import type { Inner } from '../bash/executors/inner.ts';
import { hole, type Text } from '../bash/values.ts';
import type { Effect, Origin, Target, Value } from '../effects.ts';

function shownValue(value: Value): string {
  switch (value.kind) {
    case 'literal':
      return /^$|\s/.test(value.text) ? `'${value.text}'` : value.text;
    case 'choice':
      return value.texts.join('|');
    case 'prefix':
      return `${value.text}…`;
    case 'unknown':
      return '…';
  }
}

function shownTarget(target: Target): string {
  switch (target.kind) {
    case 'path':
      return shownValue(target.path);
    case 'host':
      return shownValue(target.host);
    case 'name':
      return shownValue(target.name);
    case 'none':
      return '';
  }
}

function shownOrigins(origins: readonly Origin[] | undefined): string {
  return origins === undefined || origins.length === 0 ? '' : `from ${origins.join(' and ')}`;
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** `write out.txt (overwrite) from network`. */
function shownEffect(effect: Effect): string {
  const { content } = effect;
  return joined(
    effect.kind,
    shownTarget(effect.target),
    effect.detail === undefined ? '' : `(${effect.detail})`,
    effect.recursive === true ? 'recursive' : '',
    effect.force === true ? 'force' : '',
    effect.reversible === true ? 'reversible' : '',
    content?.kind === 'file' ? `= ${shownValue(content.path)}` : '',
    content?.kind === 'text' ? `containing ${shownValue(content.text)}` : '',
    shownOrigins(effect.origins),
  );
}

export function shownEffects(effects: readonly Effect[]): string {
  return effects.map(shownEffect).join('; ');
}

/** A text of the shell; `…` is not known. */
export function shownText(text: Text): string {
  const texts = text.alternatives.map((one) => one.replaceAll(hole, '…').replaceAll('\n', '\\n')).join('|');
  return joined(texts === '' ? "''" : texts, shownOrigins(text.origins));
}

/** `shell code: rm -rf /`, `program: sh -c …`, `python file: a.py`. */
function shownInner(inner: Inner): string {
  switch (inner.kind) {
    case 'argv':
      return joined(
        `program: ${inner.argv.map(shownText).join(' ')}`,
        inner.input === undefined ? '' : `< ${shownText(inner.input)}`,
        inner.folder === undefined ? '' : `in ${shownText(inner.folder)}`,
        (inner.settings ?? []).map(([name, text]) => `${name}=${shownText(text)}`).join(' '),
      );
    case 'code':
      return `${inner.language} code: ${shownText(inner.text)}`;
    case 'file':
      return `${inner.language} file: ${shownText(inner.path)}${inner.ofProject === true ? ' of the project' : ''}`;
    case 'input':
      return `${inner.language} input`;
    case 'socket':
      return `socket: ${shownText(inner.host)}`;
    case 'unknown':
    case 'nothing':
      return inner.kind;
  }
}

export function shownInners(inners: readonly Inner[]): string {
  return inners.map(shownInner).join('; ');
}
