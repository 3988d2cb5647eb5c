// What JavaScript sends and receives: requests, sockets, servers, messages, queries.

import { connects, effects, queryEffects, writes } from '../script/actions.ts';
import type { Call, Operation } from '../script/machine.ts';
import {
  asValue,
  handle,
  literal,
  map,
  member,
  merge,
  none,
  originsOf,
  type Thing,
  text,
  textsOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';
import { callBack, fromNetwork, option } from './operation.ts';

function answer(): Thing {
  return handle('response', {
    body: handle('stream', { from: fromNetwork }),
    data: fromNetwork,
    text: member('<network>'),
    json: member('<network>'),
  });
}

/** The headers that carry what proves who asks. */
const proofs = /^(?:authorization|proxy-authorization|x-api-key|api-key|apikey|x-auth-token|private-token)$/i;

function headersSent(headers: Thing | undefined): Thing | undefined {
  return headers?.kind === 'map' ? map([...headers.entries].filter(([name]) => !proofs.test(name))) : headers;
}

/** The address in a request: a text, an URL, or an object with a host. */
function addressOf(call: Call): Thing {
  const [given = unknown] = call.args;
  if (given.kind === 'map')
    return (
      given.entries.get('url') ??
      given.entries.get('hostname') ??
      given.entries.get('host') ??
      text('localhost')
    );
  if (given.kind === 'handle') return given.fields.get('href') ?? unknown;
  return given;
}

export const asks =
  (method: string | null): Operation =>
  (call) => {
    const said = literal(option(call, 'method'))?.toUpperCase();
    const body = option(call, 'body') ?? option(call, 'data') ?? option(call, 'json') ?? option(call, 'form');
    const given = method === 'POST' || method === 'PUT' || method === 'PATCH' ? call.args[1] : undefined;
    const used = method ?? said ?? (body ? 'POST' : 'GET');
    const address = addressOf(call);
    connects(call, address, used, [
      body,
      given?.kind === 'function' ? undefined : given,
      headersSent(option(call, 'headers')),
    ]);
    const response = handle('stream', { from: fromNetwork });
    callBack(call, [response]);
    return /^https?\./.test(call.name) ? handle('request', { host: address, from: fromNetwork }) : answer();
  };

export const connectsSocket: Operation = (call) => {
  const [first, second] = call.args;
  const host =
    option(call, 'host') ??
    (first?.kind === 'text' && !second ? first : second?.kind === 'text' ? second : text('localhost'));
  connects(call, host, 'tcp');
  const socket =
    call.receiver.kind === 'handle' ? call.receiver : handle('socket', { host, from: fromNetwork });
  if (call.receiver.kind === 'handle') call.machine.set(call.receiver.fields, 'host', host);
  callBack(call, [], socket);
  return socket;
};

export const serves: Operation = (call) => {
  const socket = handle('socket', { from: fromNetwork });
  callBack(call, [socket, handle('response')], socket);
  return handle('server');
};

export const listens: Operation = (call) => {
  const [port] = call.args;
  effects(call, 'listen', {
    target: { kind: 'host', host: asValue(textsOf(call.args[1]?.kind === 'text' ? call.args[1] : unknown)) },
    ...(port?.kind === 'number' ? { detail: String(port.value) } : {}),
  });
  callBack(call, []);
  return call.receiver;
};

export const sends: Operation = (call) => {
  const host = call.receiver.kind === 'handle' ? call.receiver.fields.get('host') : undefined;
  const [data] = call.args;
  if (originsOf(data).length > 0 && data?.kind !== 'function')
    connects(call, host ?? unknown, 'POST', [data]);
  return unknown;
};

/** One stream flows into another. */
export const pipes: Operation = (call) => {
  const [to] = call.args;
  const origins = originsOf(call.receiver);
  if (to?.kind !== 'handle') return to ?? unknown;
  if (to.type === 'stdin') {
    if (origins.includes('network')) effects(call, 'run', { detail: 'shell', origins: ['network'] });
  } else if (to.type === 'file')
    writes(call, to.fields.get('path'), unknownFrom(origins), { detail: 'overwrite' });
  else if (to.fields.has('from')) connects(call, to.fields.get('host') ?? unknown, 'POST', [call.receiver]);
  return to;
};

/** Listeners of events are called with what the receiver carries. */
export const hears: Operation = (call) => {
  callBack(call, [unknownFrom(originsOf(call.receiver))], call.receiver);
  return call.receiver;
};

export const message: Operation = (call) => {
  const origins = merge(...call.args.map((thing) => originsOf(thing)));
  effects(call, 'message', origins.length > 0 ? { origins } : {});
  return unknown;
};

export const queries: Operation = (call) => {
  queryEffects(call, call.args[0]);
  callBack(call, [none, unknown]);
  return unknown;
};
