// Texts of actions: what findings point at marked, and what is written shown as a diff. Nothing of them is left out.

import type { ReactNode } from 'react';
import { type ActionText, marksIn } from '../../src/core/action-text.ts';
import { shownWhole } from '../../src/core/text.ts';
import { Shown } from './parts.tsx';
import type { Finding } from './question.ts';
import { diffRows, type Piece, replacedBy } from './sentence.ts';

/** A sentence with what the agent wrote set apart. */
export function Sentence({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map((piece) =>
    typeof piece === 'string' ? (
      <Shown key={piece} text={piece} />
    ) : (
      <code key={`code ${piece.code}`}>
        <Shown text={piece.code} />
      </code>
    ),
  );
}

/** A part of a text with its marks. */
function marked(text: string, marks: readonly (readonly [number, number])[], from = 0, to = text.length) {
  const parts: ReactNode[] = [];
  let at = from;
  for (const [start, end] of marks) {
    const [first, last] = [Math.max(start, from), Math.min(end, to)];
    if (first >= last) continue;
    parts.push(
      shownWhole(text.slice(at, first)),
      <mark key={first}>{shownWhole(text.slice(first, last))}</mark>,
    );
    at = last;
  }
  parts.push(shownWhole(text.slice(at, to)));
  return parts;
}

/** A text of an action with the places that findings name in it marked; other texts of it are not theirs to mark. */
export function Marked({
  text: whole,
  findings,
  className = 'what',
}: {
  text: ActionText;
  findings: readonly Finding[];
  className?: string;
}) {
  return <pre className={className}>{marked(whole.text, marksIn(whole, findings))}</pre>;
}

const signs = { keep: ' ', remove: '-', add: '+' } as const;

/** A text that is written, beside what it replaces, line by line; every line of both is there. */
function Replaced({
  text: fresh,
  old,
  findings,
}: {
  text: ActionText;
  old: ActionText | null;
  findings: readonly Finding[];
}) {
  const marks = { fresh: marksIn(fresh, findings), old: old === null ? [] : marksIn(old, findings) };
  return (
    <pre className="rest lines">
      {diffRows(old?.text ?? '', fresh.text).map(({ kind, from, to }) => (
        <span key={`${kind} ${from}`} className={kind}>
          <span className="sign">{signs[kind]}</span>
          <span>
            {kind === 'remove' && old !== null
              ? marked(old.text, marks.old, from, to)
              : marked(fresh.text, marks.fresh, from, to)}
          </span>
        </span>
      ))}
    </pre>
  );
}

const ofChange = /^\/changes\/(\d+)\//;
const opWords: Readonly<Record<string, string>> = {
  create: 'new file',
  edit: 'edited',
  delete: 'deleted',
  rename: 'renamed',
};

/** Whether a text belongs to one of several files that change together. */
export function isOfChange({ pointer }: ActionText): boolean {
  return ofChange.test(pointer);
}

/** Files that change together, each under its path; all that is said of one stands there. */
export function ChangedFiles({
  texts,
  findings,
}: {
  texts: readonly ActionText[];
  findings: readonly Finding[];
}) {
  const files = Map.groupBy(texts.filter(isOfChange), ({ pointer }) => ofChange.exec(pointer)?.[1] ?? '');
  return [...files].map(([number, members]) => {
    const member = (name: string) => members.find(({ pointer }) => pointer === `/changes/${number}/${name}`);
    const [path, to, op] = [member('path'), member('to'), member('op')];
    return (
      <div key={number} className="one-file">
        <p className="what path">
          {shownWhole(path?.text ?? '')}
          {to !== undefined && ` → ${shownWhole(to.text)}`}{' '}
          <span className="dim small">{opWords[op?.text ?? ''] ?? op?.text}</span>
        </p>
        <NamedTexts
          texts={members.filter((text) => text !== path && text !== to && text !== op)}
          findings={findings}
          under
        />
      </div>
    );
  });
}

/** Texts of an action under their names; what is written stands as a diff, and what it replaces inside of that. */
export function NamedTexts({
  texts,
  findings,
  under = false,
}: {
  texts: readonly ActionText[];
  findings: readonly Finding[];
  /** The path of the file stands above: what is written there needs no name. */
  under?: boolean;
}) {
  const byPointer = new Map(texts.map((text) => [text.pointer, text]));
  const plain = new Map(texts.map(({ pointer, text }) => [pointer, text]));
  const written = new Map(
    texts.flatMap((text) => {
      const old = text.exact ? replacedBy(text.pointer, plain) : undefined;
      return old === undefined
        ? []
        : [[text.pointer, old === null ? null : (byPointer.get(old.pointer) ?? null)]];
    }),
  );
  const inside = new Set([...written.values()].map((old) => old?.pointer));
  const shown = texts.filter(({ pointer }) => !inside.has(pointer));
  if (shown.length === 0) return null;
  return (
    <dl className="texts">
      {shown.map((text) => (
        <div key={text.pointer} className={written.has(text.pointer) ? 'written' : undefined}>
          <dt className={under && written.has(text.pointer) ? 'unseen' : undefined}>
            <Shown text={text.name} />
          </dt>
          <dd>
            {written.has(text.pointer) ? (
              <Replaced text={text} old={written.get(text.pointer) ?? null} findings={findings} />
            ) : (
              <Marked className="rest" text={text} findings={findings} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
