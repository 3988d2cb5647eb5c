// Which keys there are, in a dialog that ? opens and Esc closes.

import { useLayoutEffect, useRef } from 'react';

const everywhere: readonly (readonly [string, string])[] = [
  ['?', 'show this'],
  ['Esc', 'close what is open, and focus nothing'],
  ['j / k', 'choose the next or previous question, change or entry'],
];
const answers: readonly (readonly [string, string])[] = [
  ['a', 'Approvals: approve the chosen question once · Changes: accept all hunks'],
  ['d', 'Approvals: deny the chosen question'],
  ['r', 'Changes: reject all hunks'],
  ['Enter', 'Log: open the chosen entry'],
];

export function Help({
  pages,
  close,
}: {
  pages: readonly (readonly [key: string, title: string])[];
  close: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <div className="sheet">
        <h2 id="help-title">Keys</h2>
        <Keys rows={everywhere} />
        <Keys rows={answers} />
        <Keys rows={pages} />
        <p className="dim small">
          A key answers only what you chose, and only after it stood still for half a second.
        </p>
        <footer>
          <button type="button" onClick={close}>
            Close
          </button>
        </footer>
      </div>
    </dialog>
  );
}

function Keys({ rows }: { rows: readonly (readonly [string, string])[] }) {
  return (
    <dl className="pairs">
      {rows.map(([key, does]) => (
        <div key={key} className="pair">
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
