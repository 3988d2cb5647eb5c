// The setup inside of a VM before the code runs: tools, timers, built-ins, random numbers. It is code of the guest's
// language and holds the host functions in closures; the guest sees none of their names.

import { consoleBuiltins } from './builtins/console.ts';
import { intlBuiltins } from './builtins/intl.ts';
import { webBuiltins } from './builtins/web.ts';

/**
 * An expression whose value takes the ways to the host and gives the ways into the VM. Whatever it uses later it takes
 * hold of first, since the code may change every object that it can reach.
 */
export const prelude = `(send, log, arm, disarm, finish, work, keep) => {
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { create, defineProperty, freeze, getOwnPropertyNames, keys } = Object;
  const Failure = Error;
  const Wrong = TypeError;
  const Later = Promise;
  const text = String;
  const world = globalThis;
  const bits = Math.imul;
  const [inner, range] = [InternalError.prototype, RangeError.prototype];
  const prototypeOf = Object.getPrototypeOf;

  const kept = parse(keep);
  for (const name of getOwnPropertyNames(world)) if (!kept[name]) delete world[name];

  const put = (name, value) => defineProperty(world, name, { __proto__: null, value, enumerable: true });
  const named = (name, value) => defineProperty(value, 'name', { __proto__: null, value: name });
  const hidden = (value) => named('', value);
  const failure = (code, message) => {
    const error = new Failure(message);
    defineProperty(error, 'name', { __proto__: null, value: 'ToolError' });
    defineProperty(error, 'code', { __proto__: null, value: code, enumerable: true });
    return error;
  };

  // The host counts the calls that it takes in the same order.
  const waiting = create(null);
  let lastCall = 0;
  const tool = (index, name) =>
    freeze(
      named(name, (given) =>
        new Later((resolve, reject) => {
          const json = given === undefined ? '{}' : stringify(given);
          if (json === undefined) throw new Wrong('the arguments of a tool are an object');
          const refused = send(index, json);
          if (refused === undefined) waiting[++lastCall] = { __proto__: null, resolve, reject };
          else {
            const [code, message] = parse(refused);
            reject(failure(code, message));
          }
        }),
      ),
    );

  const timers = create(null);
  let lastTimer = 0;
  const start = (name, repeat) =>
    put(name, named(name, (run, delay, ...given) => {
      if (typeof run !== 'function') throw new Wrong('a timer takes a function');
      const id = ++lastTimer;
      const refused = arm(id, +delay || 0, repeat);
      if (refused !== '') {
        const [code, message] = parse(refused);
        throw failure(code, message);
      }
      timers[id] = { __proto__: null, run, given, repeat };
      return id;
    }));
  const stop = (name) =>
    put(name, named(name, (id) => {
      const known = +id;
      if (timers[known] === undefined) return;
      delete timers[known];
      disarm(known);
    }));
  start('setTimeout', false);
  start('setInterval', true);
  stop('clearTimeout');
  stop('clearInterval');
  const { setTimeout, clearTimeout } = world;
  put('setImmediate', named('setImmediate', (run, ...given) => setTimeout(run, 0, ...given)));
  put('clearImmediate', named('clearImmediate', (id) => clearTimeout(id)));

  const errors = { __proto__: null, RangeError, TypeError, SyntaxError };
  const ask = hidden((name, ...given) => {
    const answer = parse(work(name, stringify(given)));
    if (answer.length === 1) return answer[0];
    throw new (errors[answer[1]] ?? Failure)(answer[2]);
  });
  (${webBuiltins})(ask, put);
  (${intlBuiltins})(ask, put);
  const { console, shown } = (${consoleBuiltins})(log, freeze, named, hidden);
  put('console', console);

  const told = hidden((error) => {
    const part = hidden((key) => {
      try {
        const value = error[key];
        return typeof value === 'string' ? value : undefined;
      } catch {
        return undefined;
      }
    });
    const isError = typeof error === 'object' && error !== null;
    return stringify({
      __proto__: null,
      name: isError ? part('name') : undefined,
      message: isError ? (part('message') ?? shown(error)) : shown(error),
      code: isError ? part('code') : undefined,
      stack: isError ? part('stack') : undefined,
      // A rejection that the code itself creates is no sign of a limit.
      made: isError && (prototypeOf(error) === inner || prototypeOf(error) === range) ? 'engine' : undefined,
    });
  });

  return {
    __proto__: null,
    offer: hidden((tools, seed) => {
      let state = seed | 0;
      defineProperty(Math, 'random', {
        __proto__: null,
        value: named('random', () => {
          state = (state + 0x6d2b79f5) | 0;
          let mixed = bits(state ^ (state >>> 15), 1 | state);
          mixed = (mixed + bits(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
          return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
        }),
        writable: true,
        configurable: true,
      });
      const spaces = create(null);
      const given = parse(tools);
      for (let at = 0; at < given.length; at++) {
        const { namespace, name } = given[at];
        if (name === '') put(namespace, tool(at, namespace));
        else {
          spaces[namespace] ??= create(null);
          spaces[namespace][name] = tool(at, name);
        }
      }
      for (const namespace of keys(spaces)) put(namespace, freeze(spaces[namespace]));
    }),
    run: hidden(async (value) => {
      let end;
      try {
        const json = stringify(await value);
        end = ['ok', json === undefined ? '' : json];
      } catch (error) {
        end = ['error', told(error)];
      }
      finish(end[0], end[1]);
    }),
    settle: hidden((list) => {
      const answers = parse(list);
      for (let at = 0; at < answers.length; at++) {
        const answer = answers[at];
        const { resolve, reject } = waiting[answer[0]];
        delete waiting[answer[0]];
        if (answer.length === 2) resolve(answer[1]);
        else reject(failure(answer[1], answer[2]));
      }
    }),
    fire: hidden((id) => {
      const timer = timers[id];
      if (timer === undefined) return;
      if (!timer.repeat) delete timers[id];
      try {
        apply(timer.run, undefined, timer.given);
      } catch (error) {
        finish('error', told(error));
      }
    }),
  };
}`;
