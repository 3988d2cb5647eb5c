// The page for somebody who is not signed in: the passphrase, a passkey, or a link from the terminal.

import { useEffect, useRef, useState } from 'react';
import { Icon } from './icons.tsx';
import { messageOf, Problem, useAsked, useDoing } from './parts.tsx';
import { passkeysOf, signIn, signInWithPasskey } from './signing.ts';
import { OtherAddress, PassphraseField, takeFrom } from './unlock.tsx';

export function Door({ problem, enter }: { problem: string | undefined; enter: () => void }) {
  const { data } = useAsked('GET /v1/session/login');
  return (
    <main className="door">
      <h1 className="brand">
        <Icon name="brand" /> Sallyport
      </h1>
      <Problem text={problem} />
      <OtherAddress />
      {data !== undefined && <SignIn users={data.users} enter={enter} />}
      <p className="dim small">
        Or run <code>sallyport console</code> at a terminal and open the link that it prints. A link works
        once, for a minute.
      </p>
    </main>
  );
}

/** For the owner, who has no name here, and for users of the configuration, who have one. */
function SignIn({ users, enter }: { users: boolean; enter: () => void }) {
  const [name, setName] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const doing = useDoing();
  const { passkeys, error } = useOwnersPasskeys();
  const who = name === '' ? null : name;
  const come = (work: () => Promise<void>) => doing.run(() => work().then(enter));
  return (
    <form
      className="sheet"
      onSubmit={(event) => {
        event.preventDefault();
        come(() => signIn(who, takeFrom(field.current)));
      }}
    >
      <h2>Sign in</h2>
      <Problem text={doing.error ?? error} />
      {users && (
        <label>
          Name{' '}
          <input
            value={name}
            autoComplete="username"
            placeholder="empty for the owner"
            onChange={(event) => setName(event.target.value)}
          />
        </label>
      )}
      <PassphraseField field={field} />
      <p className="dim small">The passphrase stays in this tab. It is not sent to the daemon.</p>
      <footer>
        <button type="submit" className="primary" aria-disabled={doing.busy}>
          {doing.busy ? 'Signing in …' : 'Sign in'}
        </button>{' '}
        {(passkeys || who !== null) && (
          <button type="button" disabled={doing.busy} onClick={() => come(() => signInWithPasskey(who))}>
            Use a passkey
          </button>
        )}
      </footer>
    </form>
  );
}

/** Whether the owner has passkeys that work here, and why the owner cannot sign in, where that is so. */
function useOwnersPasskeys() {
  const [state, setState] = useState<{ passkeys: boolean; error?: string }>({ passkeys: false });
  useEffect(() => {
    passkeysOf(null).then(
      ({ length }) => setState({ passkeys: length > 0 }),
      (error: unknown) => setState({ passkeys: false, error: messageOf(error) }),
    );
  }, []);
  return { error: undefined, ...state };
}
