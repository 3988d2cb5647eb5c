// The console: a page for a person who looks and decides.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { claimLink, session } from './api.ts';
import { App } from './app.tsx';
import { joinSession, shareSession } from './tabs.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/pages.css';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');

const problem = await claimLink().then(
  () => undefined,
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
);
// Who opened a link that does not count any more is told so.
if (problem === undefined) await joinSession();
shareSession();
createRoot(root).render(
  <StrictMode>
    <App problem={session.token() === null ? problem : undefined} />
  </StrictMode>,
);
