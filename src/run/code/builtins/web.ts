// The built-ins that code expects of every runtime and that reach nothing: addresses, encodings, copies, events, chance.

/** Source that takes how the host is asked, and how a global is put in place. */
export const webBuiltins = `(ask, put) => {
  const { defineProperty, getPrototypeOf, keys } = Object;
  const text = String;
  const Wrong = TypeError;
  const Problem = DOMException;
  const codes = String.fromCharCode;
  const later = setTimeout;
  const Later = Promise;

  const bytesOf = (value) => {
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    throw new Wrong('The "input" argument must be an instance of ArrayBuffer or ArrayBufferView');
  };
  /** Bytes travel as a text with one sign for each. */
  const asText = (bytes) => {
    let line = '';
    for (let at = 0; at < bytes.length; at += 8192) line += codes(...bytes.subarray(at, at + 8192));
    return line;
  };
  const fill = (bytes, line) => {
    for (let at = 0; at < line.length; at++) bytes[at] = line.charCodeAt(at);
    return bytes;
  };
  const tag = (made, name) => defineProperty(made.prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });

  let linked;
  class URLSearchParams {
    #list = [];
    #changed = null;
    constructor(init = '') {
      if (typeof init === 'object' && init !== null) {
        if (typeof init[Symbol.iterator] === 'function') {
          for (const pair of init) {
            const both = [...pair];
            if (both.length !== 2) throw new Wrong('Each query pair must be an iterable [name, value] tuple');
            this.#list.push([text(both[0]), text(both[1])]);
          }
        } else for (const key of keys(init)) this.#list.push([key, text(init[key])]);
      } else this.#list = ask('params', text(init));
    }
    get size() { return this.#list.length; }
    append(name, value) { this.#list.push([text(name), text(value)]); this.#changed?.(); }
    delete(name, value) {
      this.#list = this.#list.filter((pair) => pair[0] !== text(name) || (value !== undefined && pair[1] !== text(value)));
      this.#changed?.();
    }
    get(name) { return this.#list.find((pair) => pair[0] === text(name))?.[1] ?? null; }
    getAll(name) { return this.#list.filter((pair) => pair[0] === text(name)).map((pair) => pair[1]); }
    has(name, value) { return this.#list.some((pair) => pair[0] === text(name) && (value === undefined || pair[1] === text(value))); }
    set(name, value) {
      const at = this.#list.findIndex((pair) => pair[0] === text(name));
      if (at < 0) this.#list.push([text(name), text(value)]);
      else this.#list = this.#list.filter((pair, place) => place <= at || pair[0] !== text(name)).map((pair, place) => (place === at ? [text(name), text(value)] : pair));
      this.#changed?.();
    }
    sort() { this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); this.#changed?.(); }
    forEach(run, self) { for (const [name, value] of this.#list) run.call(self, value, name, this); }
    *entries() { for (const [name, value] of this.#list) yield [name, value]; }
    *keys() { for (const [name] of this.#list) yield name; }
    *values() { for (const [, value] of this.#list) yield value; }
    toString() { return ask('query', this.#list); }
    static {
      URLSearchParams.prototype[Symbol.iterator] = URLSearchParams.prototype.entries;
      linked = (params, query, changed) => {
        params.#list = ask('params', query);
        params.#changed = changed;
      };
    }
  }
  tag(URLSearchParams, 'URLSearchParams');
  put('URLSearchParams', URLSearchParams);

  class URL {
    #parts;
    #params = null;
    constructor(url, base) {
      this.#take(ask('url', text(url), base === undefined ? null : text(base)));
    }
    #take(parts) {
      this.#parts = parts;
      if (this.#params !== null) linked(this.#params, parts.search, this.#follow);
    }
    #follow = () => {
      const query = text(this.#params);
      this.#parts = ask('url_with', this.#parts.href, 'search', query);
    };
    get origin() { return this.#parts.origin; }
    get searchParams() {
      if (this.#params === null) {
        this.#params = new URLSearchParams();
        linked(this.#params, this.#parts.search, this.#follow);
      }
      return this.#params;
    }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
    static canParse(url, base) { return URL.parse(url, base) !== null; }
    static parse(url, base) {
      try {
        return new URL(url, base);
      } catch {
        return null;
      }
    }
    static {
      for (const part of ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) {
        defineProperty(URL.prototype, part, {
          __proto__: null,
          enumerable: true,
          configurable: true,
          get() { return this.#parts[part]; },
          set(value) { this.#take(part === 'href' ? ask('url', text(value), null) : ask('url_with', this.#parts.href, part, text(value))); },
        });
      }
    }
  }
  tag(URL, 'URL');
  put('URL', URL);

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(given = '') {
      const line = ask('encode', text(given));
      return fill(new Uint8Array(line.length), line);
    }
    encodeInto(given, bytes) {
      let [read, written] = [0, 0];
      for (const sign of text(given)) {
        const line = ask('encode', sign);
        if (written + line.length > bytes.length) break;
        for (let at = 0; at < line.length; at++) bytes[written++] = line.charCodeAt(at);
        read += sign.length;
      }
      return { read, written };
    }
  }
  tag(TextEncoder, 'TextEncoder');
  put('TextEncoder', TextEncoder);

  class TextDecoder {
    #fatal;
    #ignoreBOM;
    #encoding;
    #rest = [];
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      this.#encoding = ask('encoding', text(label));
      this.#fatal = !!fatal;
      this.#ignoreBOM = !!ignoreBOM;
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(given, { stream = false } = {}) {
      let bytes = given === undefined ? new Uint8Array(0) : bytesOf(given);
      if (this.#rest.length > 0) bytes = new Uint8Array([...this.#rest, ...bytes]);
      let end = bytes.length;
      if (stream && this.#encoding === 'utf-8') end -= unfinished(bytes);
      this.#rest = [...bytes.subarray(end)];
      return ask('decode', asText(bytes.subarray(0, end)), this.#encoding, this.#fatal, this.#ignoreBOM);
    }
  }
  /** How many bytes at the end begin a sign that is not whole. */
  const unfinished = (bytes) => {
    for (let back = 1; back <= 3 && back <= bytes.length; back++) {
      const byte = bytes[bytes.length - back];
      if ((byte & 0xc0) === 0x80) continue;
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return needed > back ? back : 0;
    }
    return 0;
  };
  tag(TextDecoder, 'TextDecoder');
  put('TextDecoder', TextDecoder);

  const uncopied = (value) => {
    throw new Problem(text(typeof value === 'symbol' ? 'A symbol' : value) + ' could not be cloned.', 'DataCloneError');
  };
  const failures = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const copied = (value, known) => {
    if (typeof value === 'function' || typeof value === 'symbol') uncopied(value);
    if (typeof value !== 'object' || value === null) return value;
    const before = known.get(value);
    if (before !== undefined) return before;
    const keep = (made) => {
      known.set(value, made);
      return made;
    };
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof Number || value instanceof text || value instanceof Boolean) return keep(Object(value.valueOf()));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) {
      const buffer = copied(value.buffer, known);
      return keep(new value.constructor(buffer, value.byteOffset, value instanceof DataView ? value.byteLength : value.length));
    }
    if (value instanceof Map) {
      const made = keep(new Map());
      for (const [key, one] of [...value]) made.set(copied(key, known), copied(one, known));
      return made;
    }
    if (value instanceof Set) {
      const made = keep(new Set());
      for (const one of [...value]) made.add(copied(one, known));
      return made;
    }
    if (value instanceof Error) {
      const made = keep(new (failures[value.name] ?? Error)(value.message));
      if ('cause' in value) defineProperty(made, 'cause', { __proto__: null, value: copied(value.cause, known), writable: true, configurable: true });
      return made;
    }
    if (value instanceof Later || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) uncopied('#<' + value.constructor.name + '>');
    const made = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of keys(value)) made[key] = copied(value[key], known);
    return made;
  };
  put('structuredClone', defineProperty((value) => copied(value, new Map()), 'name', { __proto__: null, value: 'structuredClone' }));

  put('crypto', Object.freeze({
    // Of the keys and ciphers there are none.
    subtle: Object.freeze({
      async digest(algorithm, given) {
        const line = ask('digest', typeof algorithm === 'string' ? algorithm : algorithm.name, asText(bytesOf(given)));
        return fill(new Uint8Array(line.length), line).buffer;
      },
    }),
    randomUUID: () => ask('uuid'),
    getRandomValues: (list) => {
      if (!ArrayBuffer.isView(list) || list instanceof DataView || list instanceof Float32Array || list instanceof Float64Array) {
        throw new Problem('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
      }
      if (list.byteLength > 65536) throw new Problem('The requested length exceeds 65,536 bytes', 'QuotaExceededError');
      fill(bytesOf(list), ask('random', list.byteLength));
      return list;
    },
  }));

  const inner = new WeakMap();
  class Event {
    #type;
    #options;
    #stopped = false;
    constructor(type, options = {}) {
      if (arguments.length === 0) throw new Wrong('The "type" argument must be specified');
      this.#type = text(type);
      this.#options = options ?? {};
      inner.set(this, { target: null, prevented: false });
    }
    get type() { return this.#type; }
    get bubbles() { return !!this.#options.bubbles; }
    get cancelable() { return !!this.#options.cancelable; }
    get defaultPrevented() { return inner.get(this).prevented; }
    get target() { return inner.get(this).target; }
    get currentTarget() { return inner.get(this).target; }
    get timeStamp() { return 0; }
    preventDefault() { if (this.cancelable) inner.get(this).prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { inner.get(this).stopped = true; }
  }
  tag(Event, 'Event');
  class CustomEvent extends Event {
    #detail;
    constructor(type, options = {}) {
      super(type, options);
      this.#detail = options?.detail ?? null;
    }
    get detail() { return this.#detail; }
  }
  tag(CustomEvent, 'CustomEvent');
  class EventTarget {
    #listeners = [];
    addEventListener(type, run, options = {}) {
      if (run === null || run === undefined) return;
      const { once = false, signal } = typeof options === 'object' ? (options ?? {}) : {};
      if (signal?.aborted === true) return;
      if (this.#listeners.some((one) => one.type === type && one.run === run)) return;
      this.#listeners.push({ type, run, once });
      signal?.addEventListener('abort', () => this.removeEventListener(type, run), { once: true });
    }
    removeEventListener(type, run) {
      this.#listeners = this.#listeners.filter((one) => one.type !== type || one.run !== run);
    }
    dispatchEvent(event) {
      const state = inner.get(event);
      if (state === undefined) throw new Wrong('The "event" argument must be an instance of Event');
      state.target = this;
      for (const one of [...this.#listeners]) {
        if (one.type !== event.type || !this.#listeners.includes(one)) continue;
        if (one.once) this.removeEventListener(one.type, one.run);
        if (typeof one.run === 'function') one.run.call(this, event);
        else one.run.handleEvent(event);
        if (state.stopped) break;
      }
      return !state.prevented;
    }
  }
  tag(EventTarget, 'EventTarget');
  put('Event', Event);
  put('CustomEvent', CustomEvent);
  put('EventTarget', EventTarget);

  const own = {};
  let abort;
  class AbortSignal extends EventTarget {
    #reason;
    #aborted = false;
    onabort = null;
    constructor(key) {
      super();
      if (key !== own) throw new Wrong('Illegal constructor');
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason) {
      const signal = new AbortSignal(own);
      abort(signal, reason);
      return signal;
    }
    static timeout(wait) {
      const signal = new AbortSignal(own);
      later(() => abort(signal, new Problem('The operation was aborted due to timeout', 'TimeoutError')), wait);
      return signal;
    }
    static any(signals) {
      const made = new AbortSignal(own);
      for (const signal of signals) {
        if (signal.aborted) {
          abort(made, signal.reason);
          break;
        }
        signal.addEventListener('abort', () => abort(made, signal.reason), { once: true });
      }
      return made;
    }
    static {
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new Problem('This operation was aborted', 'AbortError') : reason;
        const event = new Event('abort');
        signal.onabort?.(event);
        signal.dispatchEvent(event);
      };
    }
  }
  tag(AbortSignal, 'AbortSignal');
  class AbortController {
    #signal = new AbortSignal(own);
    get signal() { return this.#signal; }
    abort(reason) { abort(this.#signal, reason); }
  }
  tag(AbortController, 'AbortController');
  put('AbortSignal', AbortSignal);
  put('AbortController', AbortController);
}`;
