// What was written, by whom and why, with the files named; each can be undone from here.

import { useCallback, useState } from 'react';
import { ask, type Receipt } from '../api.ts';
import { useEntries } from '../events.ts';
import { Act, Empty, Problem, Shown, Time, useAsked, useDoing, useMay } from '../parts.tsx';
import { plural } from '../words.ts';
import { Chips } from './change-files.tsx';

const words: Readonly<Record<string, string>> = {
  apply: 'Applied',
  rollback: 'Undone',
  reject: 'Discarded',
  refuse: 'Refused',
};

export function Applied() {
  // Where the pages begin that lie above this one.
  const [pages, setPages] = useState<readonly number[]>([]);
  const before = pages.at(-1);
  const { data, error, again } = useAsked('GET /v1/receipts', {
    query: { limit: 50, ...(before === undefined ? {} : { before }) },
  });
  useEntries(
    useCallback(
      (entries) => {
        if (entries.some(({ event_type: type }) => type === 'receipt')) again();
      },
      [again],
    ),
  );
  const next = data?.next ?? null;
  const doing = useDoing();
  const [said, setSaid] = useState('');
  const undo = ({ receipt_id: receipt, files }: Receipt) =>
    doing.run(async () => {
      await ask('POST /v1/rollback', { body: { receipt } }).finally(again);
      setSaid(`Undone: ${files.map(({ path }) => path).join(', ')}`);
    });
  return (
    <section aria-labelledby="applied">
      <h3 id="applied">Receipts</h3>
      <Problem text={error ?? doing.error} />
      <p role="status">{said}</p>
      {data?.receipts.length === 0 && (
        <Empty>
          Nothing was written yet. Each change that is applied leaves a receipt here, and can be undone from
          it.
        </Empty>
      )}
      <ul className="list panel receipts" hidden={data === undefined || data.receipts.length === 0}>
        {(data?.receipts ?? []).map((receipt) => (
          <Row key={receipt.receipt_id} receipt={receipt} busy={doing.busy} undo={() => undo(receipt)} />
        ))}
      </ul>
      <div className="row">
        {pages.length > 0 && (
          <button type="button" onClick={() => setPages(pages.slice(0, -1))}>
            Newer receipts
          </button>
        )}
        {next !== null && (
          <button type="button" onClick={() => setPages([...pages, next])}>
            Older receipts
          </button>
        )}
      </div>
    </section>
  );
}

function Row({ receipt, busy, undo }: { receipt: Receipt; busy: boolean; undo: () => void }) {
  const [asking, setAsking] = useState(false);
  const mayUndo = useMay('POST /v1/rollback');
  const { action, applied, files, snapshot_id: snapshot, timestamp, guards } = receipt;
  const undoable = mayUndo && applied && snapshot !== null;
  return (
    <li>
      <span className="deed">
        <strong>{words[action] ?? action}</strong>
        {applied ? '' : ' (nothing was written)'}
      </span>
      <span className="files">
        {files.map(({ path }) => (
          <code key={path}>
            <Shown text={path} limit={200} />
          </code>
        ))}
      </span>
      <span className="row">
        <Chips guards={guards} />
      </span>
      <Time at={timestamp} dated />
      {undoable && !asking && (
        <button type="button" onClick={() => setAsking(true)}>
          Undo …
        </button>
      )}
      {asking && (
        <div className="asking">
          <p>
            {plural(files.length, 'file returns', 'files return')} to what{' '}
            {files.length === 1 ? 'it was' : 'they were'}: {files.map(({ path }) => path).join(', ')}. A file
            that changed since is a conflict, and nothing is overwritten.
          </p>
          <div className="row">
            <Act
              className="no"
              busy={busy}
              act={() => {
                setAsking(false);
                undo();
              }}
            >
              Undo {plural(files.length, 'file')}
            </Act>
            <button type="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
          </div>
        </div>
      )}
    </li>
  );
}
