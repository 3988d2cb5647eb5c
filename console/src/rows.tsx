// Entries of the log as people read them: a row says when, what was decided, about what, by which rule, whose, how long.

import { rulesOf, whatOf } from '../../src/core/entry-text.ts';
import type { Entry } from './api.ts';
import { Badge, Shown, Time } from './parts.tsx';
import { eventWord, msOf } from './words.ts';

/** Where the entry is told whole. */
export function addressOf({ decision_id: id, place }: Entry): string {
  return id === undefined ? `#/log/entry/${place}` : `#/log/${id}`;
}

/** What an entry is about: the command or the target, or what happened. */
export function aboutOf({ details, event_type: type }: Entry): string {
  const about = whatOf(details);
  if (about !== '') return about;
  const receipt = details['receipt'];
  const files =
    typeof receipt === 'object' && receipt !== null && 'files' in receipt && Array.isArray(receipt.files)
      ? receipt.files.map((file: { path?: unknown }) => String(file.path)).join(', ')
      : '';
  return files === '' ? eventWord(type) : files;
}

/** An event that is no decision: what it is, and what it is about where that says more. */
function eventWithAbout(entry: Entry): string {
  const [event, about] = [eventWord(entry.event_type), aboutOf(entry)];
  return about === event ? event : `${event}: ${about}`;
}

export function EntryRow({ entry, open }: { entry: Entry; open?: boolean }) {
  const { time, decision, agent, user, event_type: type, details } = entry;
  const isDecision = type === 'decision' && decision !== undefined;
  return (
    <a className="entry" href={addressOf(entry)} aria-current={open === true ? 'true' : undefined}>
      <Time at={time} dated />
      <span className="verdict">{isDecision && <Badge decision={decision} />}</span>
      <span className="about">
        {isDecision ? (
          <code>
            <Shown text={aboutOf(entry)} limit={240} />
          </code>
        ) : (
          <span className="dim">
            <Shown text={eventWithAbout(entry)} limit={240} />
          </span>
        )}
        {rulesOf(entry).map((rule) => (
          <span key={rule} className="rule">
            {rule}
          </span>
        ))}
        {details['unchecked'] !== undefined && <Badge decision="unchecked" word="References unchecked" />}
      </span>
      <span className="dim small whose">
        <Shown text={agent === '' ? user : agent} limit={40} />
      </span>
      <span className="dim small number took">
        {typeof details['ms'] === 'number' ? msOf(details['ms']) : ''}
      </span>
    </a>
  );
}
