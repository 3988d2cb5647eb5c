// Names what comes from outside, and writes down each step of its way.

import { answerCalls, answerFacts, finalText } from '../roles/models.ts';
import {
  type Label,
  nothing,
  type Place,
  type SourceKind,
  type State,
  type Step,
  type Tag,
  type Value,
} from '../value.ts';
import type { Machine } from './machine.ts';

export function labelFor(
  machine: Machine,
  kind: SourceKind,
  name: string,
  place: Place,
  parent: Label | null,
  cut = false,
): Label {
  const key = `${kind} ${name} ${place.module.path} ${place.at} ${parent?.id ?? ''} ${cut}`;
  const known = machine.labels.get(key);
  if (known !== undefined) return known;
  const label: Label = {
    id: machine.labels.size + 1,
    kind,
    name,
    place,
    parent,
    ...(cut ? { cut } : {}),
  };
  machine.labels.set(key, label);
  return label;
}

export function tagOf(label: Label): Tag {
  return { label, cleared: 0, step: { place: label.place, what: label.name, before: null, depth: 0 } };
}

export function labelled(
  machine: Machine,
  kind: SourceKind,
  name: string,
  place: Place,
  paths: readonly string[] = [],
  state?: State,
): Value {
  const label = labelFor(machine, kind, name, place, null);
  state?.renew(label);
  return { ...nothing, paths, tags: new Map([[label.id, tagOf(label)]]) };
}

/** The value with a further step on its way. */
export function stepped(machine: Machine, value: Value, what: string): Value {
  if (value.tags.size === 0) return value;
  const place = machine.statement;
  const tags = new Map<number, Tag>();
  for (const [id, tag] of value.tags) {
    const same = tag.step?.place.at === place.at && tag.step.place.module === place.module;
    const depth = (tag.step?.depth ?? 0) + 1;
    const step: Step | null = same || depth > 12 ? tag.step : { place, what, before: tag.step, depth };
    tags.set(id, step === tag.step ? tag : { ...tag, step });
  }
  return { ...value, tags };
}

/** A part of what a model said. */
export function spokenPart(
  machine: Machine,
  tags: ReadonlyMap<number, Tag>,
  property: string | null,
): ReadonlyMap<number, Tag> {
  if (tags.size === 0 || property === null) return tags;
  const parts = new Map<number, Tag>();
  for (const [id, tag] of tags) {
    const { label } = tag;
    const spoken = label.kind === 'model' || label.kind === 'chunk';
    if ((spoken || label.kind === 'call' || label.kind === 'tool') && answerFacts.has(property)) continue;
    if (spoken && answerCalls.has(property)) {
      const wanted = labelFor(machine, 'call', label.name, label.place, label);
      parts.set(wanted.id, { ...tag, label: wanted });
    } else if (label.kind === 'chunk' && finalText.has(property)) {
      const text = labelFor(machine, 'model', label.name, label.place, label.parent ?? label);
      parts.set(text.id, { ...tag, label: text });
    } else parts.set(id, tag);
  }
  return parts;
}

/** A cut of a text: what holds for the whole holds for it, and not the other way round. */
export function cutOf(machine: Machine, tags: ReadonlyMap<number, Tag>): Value {
  const parts = [...tags.values()].map((tag): [number, Tag] => {
    const { kind, name } = tag.label;
    const label = labelFor(machine, kind, name, machine.statement, tag.label, true);
    return [label.id, { ...tag, label }];
  });
  return { ...nothing, tags: new Map(parts) };
}

/** The pieces of a stream, or, behind its end, the whole of them. */
export function relabelled(machine: Machine, value: Value, from: SourceKind, to: SourceKind): Value {
  if (![...value.tags.values()].some(({ label }) => label.kind === from)) return value;
  const tags = new Map<number, Tag>();
  for (const [id, tag] of value.tags) {
    if (tag.label.kind !== from) tags.set(id, tag);
    else {
      const label = labelFor(machine, to, tag.label.name, tag.label.place, null);
      tags.set(label.id, { ...tag, label });
    }
  }
  return { ...value, tags };
}

/** The step of a value that a generator gives. */
export const yielded = 'yielded here';

/** The step of a value that a function gives back as it was. */
export const unchanged = 'given back as it was';
