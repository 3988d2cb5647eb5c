// Intl and the functions of the language that depend on it, inside of a VM: the engine has none, so the host formats.

/** Source that takes how the host is asked, and how a global is put in place. */
export const intlBuiltins = `(ask, put) => {
  const { defineProperty, freeze, keys } = Object;
  const world = globalThis;
  const { isFinite: isFiniteNumber } = Number;
  const listOf = Array.isArray;
  const text = String;
  const Wrong = TypeError;
  const timeOf = Date.prototype.getTime;
  const call = Function.prototype.call.bind(Function.prototype.call);

  const hide = (target, name, value) =>
    defineProperty(target, name, { __proto__: null, value, writable: true, configurable: true });
  const named = (name, value) => defineProperty(value, 'name', { __proto__: null, value: name, configurable: true });
  /** Tags travel as text. */
  const tags = (locales) => {
    if (locales === undefined) return null;
    if (typeof locales === 'string') return locales;
    if (locales instanceof Locale) return text(locales);
    if (locales === null || typeof locales !== 'object') throw new Wrong('Incorrect locale information provided');
    const list = [];
    for (const one of locales) {
      if (typeof one !== 'string' && !(one instanceof Locale)) throw new Wrong('Language ID should be string or object.');
      list.push(text(one));
    }
    return list;
  };
  const choices = (options) => (options === undefined ? {} : options);
  const numeral = (value) => {
    if (typeof value === 'bigint') return { bigint: text(value) };
    const number = +value;
    return isFiniteNumber(number) && !(number === 0 && 1 / number < 0) ? number : { number: number === 0 ? '-0' : text(number) };
  };
  const moment = (value) => (value === undefined ? Date.now() : typeof value === 'object' && value instanceof Date ? numeral(call(timeOf, value)) : numeral(value));
  const words = (list) => {
    const found = [];
    for (const one of list) {
      if (typeof one !== 'string') throw new Wrong('Iterable yielded ' + text(one) + ' which is not a string');
      found.push(one);
    }
    return found;
  };

  // The functions of each kind: how their arguments are passed, and whether the method is bound to the formatter.
  const kinds = {
    __proto__: null,
    NumberFormat: { bound: 'format', methods: { format: [numeral], formatToParts: [numeral], formatRange: [numeral, numeral], formatRangeToParts: [numeral, numeral] } },
    DateTimeFormat: { bound: 'format', methods: { format: [moment], formatToParts: [moment], formatRange: [moment, moment], formatRangeToParts: [moment, moment] } },
    Collator: { bound: 'compare', methods: { compare: [text, text] } },
    PluralRules: { methods: { select: [numeral], selectRange: [numeral, numeral] } },
    RelativeTimeFormat: { methods: { format: [numeral, text], formatToParts: [numeral, text] } },
    ListFormat: { methods: { format: [words], formatToParts: [words] } },
    DisplayNames: { methods: { of: [text] } },
    Segmenter: { methods: {} },
  };
  const Intl = {};
  for (const kind of keys(kinds)) {
    const { bound, methods } = kinds[kind];
    const made = new WeakMap();
    const stateOf = (self) => {
      const state = made.get(self);
      if (state === undefined) throw new Wrong('Method called on incompatible receiver');
      return state;
    };
    const work = (state, method, ways, given) =>
      ask('intl', kind, state.locales, state.options, method, ways.map((way, at) => way(given[at])));
    const isCallable = bound !== undefined;
    const Format = function (locales, options) {
      if (new.target === undefined && !isCallable) throw new Wrong("Constructor Intl." + kind + " requires 'new'");
      const self = new.target === undefined ? new Format(locales, options) : this;
      if (self !== this) return self;
      const state = { locales: tags(locales), options: choices(options) };
      ask('intl', kind, state.locales, state.options, '', []);
      made.set(self, state);
    };
    named(kind, Format);
    for (const method of keys(methods)) {
      const ways = methods[method];
      if (method === bound) {
        defineProperty(Format.prototype, method, {
          __proto__: null,
          configurable: true,
          get() {
            const state = stateOf(this);
            state.own ??= named('', (...given) => work(state, method, ways, given));
            return state.own;
          },
        });
      } else hide(Format.prototype, method, named(method, function (...given) { return work(stateOf(this), method, ways, given); }));
    }
    hide(Format.prototype, 'resolvedOptions', named('resolvedOptions', function () { return work(stateOf(this), 'resolvedOptions', [], []); }));
    defineProperty(Format.prototype, Symbol.toStringTag, { __proto__: null, value: 'Intl.' + kind, configurable: true });
    hide(Format, 'supportedLocalesOf', named('supportedLocalesOf', (locales) => ask('supported', kind, tags(locales) ?? [])));
    if (kind === 'Segmenter') {
      hide(Format.prototype, 'segment', named('segment', function (given) {
        const found = ask('intl', kind, stateOf(this).locales, stateOf(this).options, 'segment', [text(given)]);
        return freeze({
          [Symbol.iterator]: () => found[Symbol.iterator](),
          containing: (at = 0) => found.findLast(({ index, segment }) => index <= at && at < index + segment.length),
        });
      }));
    }
    hide(Intl, kind, Format);
  }
  const parts = ['baseName', 'language', 'script', 'region', 'calendar', 'collation', 'hourCycle', 'numberingSystem', 'numeric', 'caseFirst'];
  class Locale {
    #parts;
    constructor(tag, options) {
      if (typeof tag !== 'string' && !(tag instanceof Locale)) throw new Wrong('First argument to Intl.Locale constructor can\\'t be empty or missing');
      this.#parts = ask('locale', text(tag), choices(options));
    }
    toString() { return this.#parts.text; }
    maximize() { return new Locale(ask('locale_to', this.#parts.text, 'maximize').text); }
    minimize() { return new Locale(ask('locale_to', this.#parts.text, 'minimize').text); }
    static {
      for (const part of parts) {
        defineProperty(Locale.prototype, part, { __proto__: null, configurable: true, get() { return this.#parts[part] ?? undefined; } });
      }
    }
  }
  hide(Intl, 'Locale', Locale);
  hide(Intl, 'getCanonicalLocales', named('getCanonicalLocales', (locales) => (locales === undefined ? [] : ask('canonical', tags(locales)))));
  hide(Intl, 'supportedValuesOf', named('supportedValuesOf', (key) => ask('values', text(key))));
  defineProperty(Intl, Symbol.toStringTag, { __proto__: null, value: 'Intl', configurable: true });
  put('Intl', Intl);

  const numberText = (value, locales, options) => ask('number', numeral(value), tags(locales), choices(options));
  const numberValue = Number.prototype.valueOf;
  const bigintValue = BigInt.prototype.valueOf;
  const method = (target, name, work) => hide(target, name, named(name, work));
  method(Number.prototype, 'toLocaleString', function (locales, options) { return numberText(call(numberValue, this), locales, options); });
  method(BigInt.prototype, 'toLocaleString', function (locales, options) { return numberText(call(bigintValue, this), locales, options); });
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    method(Date.prototype, name, function (locales, options) {
      const time = call(timeOf, this);
      return time !== time ? 'Invalid Date' : ask('date', name, time, tags(locales), choices(options));
    });
  }
  const simple = /^[a-z0-9]*$/;
  const matches = RegExp.prototype.test;
  method(String.prototype, 'localeCompare', function (that, locales, options) {
    const [a, b] = [text(this), text(that)];
    // Of small letters and digits the order is that of their codes.
    if (locales === undefined && options === undefined && call(matches, simple, a) && call(matches, simple, b)) return a < b ? -1 : a > b ? 1 : 0;
    return ask('intl', 'Collator', tags(locales), choices(options), 'compare', [a, b]);
  });
  method(String.prototype, 'toLocaleUpperCase', function (locales) { return ask('upper', text(this), tags(locales)); });
  method(String.prototype, 'toLocaleLowerCase', function (locales) { return ask('lower', text(this), tags(locales)); });
  method(Array.prototype, 'toLocaleString', function (locales, options) {
    let line = '';
    for (let at = 0; at < this.length; at++) {
      const one = this[at];
      line += (at === 0 ? '' : ',') + (one === undefined || one === null ? '' : one.toLocaleString(locales, options));
    }
    return line;
  });
}`;
