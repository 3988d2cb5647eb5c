// Asks the person to sign: the passphrase, which opens the key in this tab, or one touch of a passkey.

import { useLayoutEffect, useRef } from 'react';
import { Problem, useDoing } from './parts.tsx';
import { passkeyAddress } from './passkeys.ts';
import { openKey, type Request, request } from './signing.ts';
import { useStore } from './store.ts';

/** The dialog, while something waits to be signed. */
export function Unlock() {
  const asked = useStore(request);
  return asked === null ? null : <Dialog key={asked.purpose} asked={asked} />;
}

function Dialog({ asked }: { asked: Request }) {
  const { purpose, problem, passkeys, answer, cancel } = asked;
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const doing = useDoing();
  // Closed before it leaves the page: the browser keeps the focus inside, and then gives it back to where it was.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    window.addEventListener('hashchange', cancel);
    return () => {
      window.removeEventListener('hashchange', cancel);
      element?.close();
    };
  }, [cancel]);
  const unlock = () =>
    doing.run(async () => {
      const passphrase = takeFrom(field.current);
      await openKey(passphrase).catch((error: unknown) => {
        field.current?.focus();
        throw error;
      });
      answer('key');
    });
  return (
    <dialog
      ref={dialog}
      aria-labelledby="unlock-title"
      onCancel={(event) => {
        event.preventDefault();
        cancel();
      }}
    >
      <form
        className="sheet"
        onSubmit={(event) => {
          event.preventDefault();
          unlock();
        }}
      >
        <h2 id="unlock-title">Sign with your passphrase</h2>
        <p>
          To {purpose}, type your passphrase{passkeys.length > 0 ? ' or use a passkey' : ''}.
        </p>
        <Problem text={doing.error ?? problem} />
        <PassphraseField field={field} />
        <p className="dim">
          The passphrase stays in this tab: the page opens your key with it and signs here. The key is
          forgotten after 30 minutes without use.
        </p>
        <footer>
          <button type="submit" className="primary" aria-disabled={doing.busy}>
            {doing.busy ? 'Opening the key …' : 'Sign'}
          </button>{' '}
          {passkeys.length > 0 && (
            <button type="button" disabled={doing.busy} onClick={() => answer('passkey')}>
              Use a passkey
            </button>
          )}{' '}
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </footer>
      </form>
    </dialog>
  );
}

/** A passphrase as it is typed. React never holds it: it is read once, and wiped from the field at the same moment. */
export function PassphraseField({ field }: { field: React.RefObject<HTMLInputElement | null> }) {
  return (
    <label>
      Passphrase{' '}
      <input ref={field} type="password" required autoComplete="current-password" spellCheck={false} />
    </label>
  );
}

export function takeFrom(field: HTMLInputElement | null): string {
  const passphrase = field?.value ?? '';
  if (field !== null) field.value = '';
  return passphrase;
}

/** Says where passkeys work, on a page where they do not. */
export function OtherAddress() {
  const address = passkeyAddress();
  return address === null ? null : (
    <p className="notice">
      Browsers allow passkeys on <code>localhost</code> only, and not on <code>{location.hostname}</code>. To
      use one, open <a href={address}>{address}</a>.
    </p>
  );
}
