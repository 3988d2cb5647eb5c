// The page on which a person answers one approval. It holds nothing itself: what it shows it asks for once the person has
// given the passphrase, and everything is shown as text.

import { createHash } from 'node:crypto';

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid; padding: .75rem }
button, input { font: inherit; padding: .4rem .8rem; margin-right: .5rem }
[role=alert] { font-weight: bold }`;

const script = `
const at = (name) => document.getElementById(name);
const id = decodeURIComponent(location.pathname.split('/').pop());
// Signs that are not seen, or that turn text round, are shown by their number.
const plain = (text) => String(text).replace(/[^\\P{C}\\n]|[\\p{Zl}\\p{Zp}]/gu, (sign) => '\\\\u{' + sign.codePointAt(0).toString(16) + '}');
let token = '';
async function ask(path, body) {
  const headers = { ...(token && { authorization: 'Bearer ' + token }), ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(path, { method: body ? 'POST' : 'GET', headers, ...(body && { body: JSON.stringify(body) }) });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error + (value.hint ? ' (' + value.hint + ')' : ''));
  return value;
}
const path = '/v1/approvals/' + encodeURIComponent(id);
function show({ state, question, user, agent }) {
  at('who').textContent = plain('Asked by the agent ' + agent + ' for ' + user + '.');
  at('what').textContent = question ? plain(question.findings.filter((f) => f.decision === 'approve').map((f) => f.message).join('\\n')) : '';
  at('action').textContent = question ? plain(JSON.stringify(question.action, null, 2)) : '';
  at('state').textContent = state === 'pending' ? '' : 'This is ' + state + '.';
  at('question').hidden = false;
  at('answers').hidden = state !== 'pending';
}
const told = (work) => async (event) => {
  event.preventDefault();
  at('problem').textContent = '';
  try { await work(); } catch (error) { at('problem').textContent = plain(error.message); }
};
at('open').onsubmit = told(async () => {
  const passphrase = at('passphrase').value;
  at('passphrase').value = '';
  ({ token } = await ask('/v1/session', { passphrase }));
  show(await ask(path));
  at('open').hidden = true;
});
for (const answer of ['approve', 'deny']) at(answer).onclick = told(async () => show(await ask(path + '/answer', { answer })));`;

/** Nothing but its own script and style runs in it, and nobody can put it in a frame. */
export const pagePolicy = [
  "default-src 'none'",
  `script-src '${digest(script)}'`,
  `style-src '${digest(style)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

export const approvePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sallyport: may it?</title>
<style>${style}</style>
<h1>An agent asks</h1>
<p id="problem" role="alert"></p>
<form id="open"><label>Passphrase <input id="passphrase" type="password" required autocomplete="off" autofocus></label><button>Show</button></form>
<section id="question" hidden>
<p id="who"></p><p id="what"></p><pre id="action"></pre><p id="state" role="status"></p>
<p id="answers"><button id="approve">Allow it once</button><button id="deny">Refuse it</button></p>
</section>
<script>${script}</script>
</html>
`;
