// Entries of the log as people read them: a row says when, what was decided, about what, by which rule, whose, how long.

import { rulesOf, whatOf } from '../../src/core/entry-text.ts';
import type { Entry } from './api.ts';
import { Badge, Shown, Time } from './parts.tsx';
import { eventWord, msOf, plural } from './words.ts';

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

type Details = Entry['details'];
const word = (details: Details, name: string): string => {
  const value = details[name];
  return typeof value === 'string' ? value : '';
};
const count = (details: Details, name: string): number => Number(details[name] ?? 0);
const byWhom = (details: Details): string =>
  word(details, 'answered_by') === '' ? '' : ` by ${word(details, 'answered_by')}`;

/** Events that say more than their names. */
const told: Readonly<Record<string, (details: Details) => string>> = {
  approval_answered: (details) =>
    `${word(details, 'answer') === 'approve' ? 'Approved' : 'Denied'}${byWhom(details)}`,
  approval_requested: (details) => `Question ${word(details, 'approval')} asked`,
  approval_used: (details) => `Approval ${word(details, 'approval')} used`,
  grant_made: (details) => `Permission made: ${word(details, 'effect')}`,
  grant_used: (details) => `Permission used: ${word(details, 'effect')}`,
  grant_revoked: (details) => `Permission revoked ${word(details, 'effect')}`,
  change_staged: (details) =>
    `Change proposed: ${plural(count(details, 'files'), 'file')}, ${plural(count(details, 'hunks'), 'hunk')}`,
  change_decided: (details) => `Change reviewed${byWhom(details)}`,
  policy_changed: (details) => `Policy changed: ${word(details, 'policy')}`,
};

/** An event that is no decision: what it is, and what it is about where that says more. */
export function eventTold(entry: Entry): string {
  const special = told[entry.event_type]?.(entry.details).replace(/[: ]+$/, '');
  if (special !== undefined) return special;
  const [event, about] = [eventWord(entry.event_type), aboutOf(entry)];
  return about === event ? event : `${event}: ${about}`;
}

export function EntryRow({ entry, open }: { entry: Entry; open?: boolean }) {
  const { time, decision, agent, user, event_type: type, details } = entry;
  const isDecision = type === 'decision' && decision !== undefined;
  return (
    <a
      className={isDecision ? 'entry' : 'entry event'}
      href={addressOf(entry)}
      aria-current={open === true ? 'true' : undefined}
    >
      <Time at={time} dated />
      <span className="verdict">{isDecision && <Badge decision={decision} />}</span>
      <span className="about">
        {isDecision ? (
          <code>
            <Shown text={aboutOf(entry)} limit={240} />
          </code>
        ) : (
          <span className="dim">
            <Shown text={eventTold(entry)} limit={240} />
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
