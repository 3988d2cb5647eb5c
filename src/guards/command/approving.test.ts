// Tests that no program of an agent calls the routes of the daemon that only a person may call.

import { describe, expect, it } from 'vitest';
import { configOf, settingsFrom } from '../../config/index.ts';
import type { Action } from '../../core/index.ts';
import { createDryDecider, realWorld } from '../../decide/index.ts';

/** The decision on an action with the home `/srv/sp`, whose daemon listens on port 5123, and the rules that hold it. */
async function verdictOn(action: Action): Promise<{ readonly decision: string; readonly tampers: boolean }> {
  const settings = settingsFrom({ profile: 'developer' });
  const world = realWorld({ ownHome: '/srv/sp' });
  const { verdict } = await createDryDecider({
    config: configOf(() => settings),
    world: {
      ...world,
      realPath: (path) => path,
      readText: (path) => (path === '/srv/sp/run/daemon.json' ? '{"pid":1,"port":5123}' : null),
    },
  }).decide(action, {
    ...{ user: 'ann', tenant: 'ann', agent: 'default', session: 's', workspace: '/work', mode: 'auto' },
  });
  const tampers = verdict.findings.some(({ rule }) => rule === 'guard_tampering');
  return { decision: verdict.decision, tampers };
}

const shell = (command: string) => verdictOn({ kind: 'shell', command, cwd: '/work' });

describe('a call that only a person may make', () => {
  it.each([
    `curl -d '{"passphrase":"x"}' http://127.0.0.1:4719/v1/session`,
    `curl -s localhost:5123/v1/session -H 'content-type: application/json' -d @guess.json`,
    'curl -X POST http://localhost:4719/v1/session/link -d @a',
    'curl http://[::1]:4719/v1/session/login',
    'curl http://127.1:4719/v1/session -d a',
    'curl http://2130706433:4719/v1/session -d a',
    'curl http://127.0.0.1:4719/v1/%73ession -d a',
    'curl http://127.0.0.1:4719/v1/./x/../session -d a',
    'P=4719; curl -d a "http://localhost:$P/v1/session"',
    'U=http://localhost:4719/v1; curl -d a "$U/session"',
    'for i in 1 2 3; do curl -d "{\\"passphrase\\":\\"$i\\"}" localhost:4719/v1/session; done',
    'curl -d a "http://localhost:4719/v1/approvals/$ID/answer"',
    'curl -d a http://localhost:4719/v1/approvals/abcd2345/answer',
    'curl -d a "http://localhost:$PORT/v1/approvals/$ID/answer"',
    `curl -d '{"passphrase":"x"}' "http://127.0.0.1:$(jq .port daemon.json)/v1/session"`,
    `curl --unix-socket /srv/sp/run/sallyport.sock http://x/v1/session -d '{"passphrase":"x"}'`,
    'curl --unix-socket ~/.sallyport/run/sallyport.sock http://x/v1/approvals/a/answer -d x',
    'cd /srv/sp/run && curl --unix-socket sallyport.sock http://x/v1/session -d a',
    'wget --post-data=x -qO- http://localhost:4719/v1/session',
    'http POST :4719/v1/session passphrase=x',
    'http localhost:4719/v1/session passphrase=x',
    'xh post localhost:4719/v1/session passphrase=x',
    "printf 'POST /v1/session HTTP/1.1\\r\\n\\r\\n' | nc 127.0.0.1 4719",
    "printf 'POST /v1/session HTTP/1.1\\r\\n\\r\\n' | nc -U /srv/sp/run/sallyport.sock",
    "printf 'POST /v1/session HTTP/1.1\\r\\n\\r\\n' | socat - UNIX-CONNECT:/srv/sp/run/sallyport.sock",
    'exec 3<>/dev/tcp/127.0.0.1/4719; printf "POST /v1/session HTTP/1.1\\r\\n\\r\\n" >&3',
    `python3 -c 'import urllib.request as u; u.urlopen("http://127.0.0.1:4719/v1/session", b"x")'`,
    `python3 -c 'import requests; requests.post("http://localhost:4719/v1/" + "sess" + "ion", json={})'`,
    `python3 -c 'import http.client as h; c = h.HTTPConnection("127.0.0.1", 4719); c.request("POST", "/v1/session", "x")'`,
    `python3 - <<'EOF'\nimport requests\nfor w in open("words"):\n    requests.post("http://localhost:4719/v1/session", json={"passphrase": w})\nEOF`,
    `node -e 'fetch("http://127.0.0.1:4719/v1/approvals/" + id + "/answer", {method: "POST", body: "x"})'`,
    `node -e 'require("http").request({port: 4719, path: "/v1/session", method: "POST"}).end("x")'`,
    `node -e 'require("http").request({socketPath: "/srv/sp/run/sallyport.sock", path: "/v1/session", method: "POST"}).end("x")'`,
    'curl -X DELETE http://localhost:4719/v1/permissions/abcd',
    'curl -X POST http://localhost:4719/v1/changes/abcd/apply -d {}',
    'curl -X PUT http://localhost:4719/v1/policies/a -d {}',
    'ssh localhost curl -d a http://localhost:4719/v1/session',
    `perl -MHTTP::Tiny -e 'HTTP::Tiny->new->post("http://localhost:4719/v1/session")'`,
    `ruby -rnet/http -e 'Net::HTTP.post(URI("http://localhost:4719/v1/session"), "x")'`,
    'hurl localhost:4719/v1/session',
    'npx httpie localhost:4719/v1/session',
    'python3 -m httpie localhost:4719/v1/session passphrase=x',
    'docker run --network host curlimages/curl -d a http://localhost:4719/v1/session',
    'curl http://0:4719/v1/session -d a',
    'curl http://[::ffff:127.0.0.1]:4719/v1/session -d a',
    "telnet localhost 4719 <<< 'POST /v1/session'",
    "echo 'curl -d a localhost:4719/v1/session' > x.sh; bash x.sh",
    "curl -d a 'http://localhost:4719/v1/sess'{ion,x}",
    'ls | xargs -I{} curl -d {} http://localhost:4719/v1/session',
  ])('%s', async (command) => expect(await shell(command)).toEqual({ decision: 'block', tampers: true }));

  it('in Python', async () => {
    const source = 'import requests\nrequests.post("http://localhost:4719/v1/session", json={})';
    expect(await verdictOn({ kind: 'python', source, cwd: '/work' })).toMatchObject({ tampers: true });
  });

  it.each(['curl -X POST -d a "http://localhost:4719/v1/$A"', 'curl -d a "http://localhost:4719$ROUTE"'])(
    '%s is asked about',
    async (command) => expect(await shell(command)).toEqual({ decision: 'approve', tampers: true }),
  );
});

describe('what is no such call', () => {
  it.each([
    'curl http://127.0.0.1:4719/healthz',
    'curl http://localhost:4719/v1/approvals',
    'curl "http://localhost:4719/v1/approvals/$ID"',
    'curl -d @action.json http://localhost:4719/v1/decide',
    'curl --unix-socket /srv/sp/run/sallyport.sock http://localhost/v1/x',
    'curl -d a http://localhost:3000/v1/session',
    'curl -d "{\\"passphrase\\":1}" http://localhost:8080/v1/session',
    'curl "http://localhost:$PORT/v1/session"',
    'curl http://localhost:4719/v1/sessions',
    'curl http://localhost:14719/v1/session',
    'echo "POST http://localhost:4719/v1/session"',
    'grep -rn "localhost:4719/v1/session" docs',
    'git commit -m "docs: POST localhost:4719/v1/session opens a session"',
    'echo "curl localhost:4719/v1/session" > notes.md',
    'npm test',
    'nc -z localhost 4719',
    "printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' | nc localhost 4719",
    'nc localhost 3000 < request.txt',
    `python3 -c 'import requests; requests.get("http://localhost:4719/healthz")'`,
    'sallyport test "curl localhost:4719/v1/session"',
  ])('%s', async (command) => expect(await shell(command)).toMatchObject({ tampers: false }));
});
