// Programs of one feature each, as models write them: they give the same here as in Node, or differ as the docs say.

/** Programs by the feature that each shows. A program returns a value, or logs lines. */
export const features: readonly (readonly [feature: string, source: string])[] = [
  // The language.
  ['template literals', 'const a = 2; return `a is ${a + 1}`'],
  ['tagged templates', 'const t = (s, ...v) => s.raw.join("|") + v; return t`a${1}b${2}`'],
  ['destructuring', 'const { a, b: { c = 5 } = {}, ...rest } = { a: 1, d: 2 }; return [a, c, rest]'],
  ['array destructuring', 'const [a, , b = 3, ...c] = [1, 2, undefined, 4, 5]; return [a, b, c]'],
  ['spread', 'return [...new Set([1, 1, 2]), ...[3], ...Object.values({ ...{ a: 4 } })]'],
  ['optional chaining', 'const a = { b: null }; return [a?.b?.c, a.x?.(), a?.["b"]] .map(String)'],
  ['nullish and logical assignment', 'let a = null; a ??= 1; a &&= 2; a ||= 3; return a'],
  ['exponent and separators', 'return 2 ** 10 + 1_000'],
  ['bigint', 'return String(2n ** 64n - 1n) + typeof 1n'],
  [
    'labels',
    'let n = 0; outer: for (let i = 0; i < 3; i++) for (;;) { n++; if (i === 1) break outer; continue outer } return n',
  ],
  [
    'switch',
    'const f = (a) => { switch (a) { case 1: case 2: return "x"; default: return "y" } }; return [f(1), f(3)]',
  ],
  ['closures', 'const make = () => { let n = 0; return () => ++n }; const c = make(); c(); return c()'],
  [
    'default and rest parameters',
    'const f = (a, b = a + 1, ...c) => [a, b, c]; return f(1, undefined, 3, 4)',
  ],
  [
    'classes',
    'class A { #x = 1; static n = 0; get x() { return this.#x } set x(v) { this.#x = v } static { A.n = 7 } } const a = new A(); a.x = 5; return [a.x, A.n]',
  ],
  [
    'inheritance',
    'class A { hi() { return "a" } } class B extends A { hi() { return super.hi() + "b" } } return new B().hi()',
  ],
  [
    'private methods and in',
    'class A { #m() { return 1 } static has(o) { return #m in o } run() { return this.#m() } } return [A.has(new A()), A.has({}), new A().run()]',
  ],
  [
    'generators',
    'function* g() { const x = yield 1; yield x * 2 } const i = g(); i.next(); return i.next(4).value',
  ],
  [
    'async generators',
    'async function* g() { yield 1; yield 2 } const out = []; for await (const x of g()) out.push(x); return out',
  ],
  ['iterators of objects', 'const o = { *[Symbol.iterator]() { yield 1; yield 2 } }; return [...o]'],
  [
    'getters and setters',
    'const o = { _a: 1, get a() { return this._a }, set a(v) { this._a = v * 2 } }; o.a = 4; return o.a',
  ],
  ['computed keys', 'const k = "x"; return { [k + 1]: 1, [`${k}2`]() { return 1 } }'],
  [
    'try, catch, finally',
    'const out = []; try { throw new TypeError("a") } catch ({ name, message }) { out.push(name, message) } finally { out.push(1) } return out',
  ],
  [
    'errors with a cause',
    'const e = new Error("a", { cause: { b: 1 } }); return [e.message, e.cause, e instanceof Error]',
  ],
  [
    'own errors',
    'class Missing extends Error { constructor(id) { super(`no ${id}`); this.name = "Missing"; this.id = id } } try { throw new Missing(3) } catch (e) { return [e.name, e.message, e.id, String(e)] }',
  ],
  ['an error that is thrown', 'throw new RangeError("too far")'],
  ['a missing property', 'return undefined.a'],
  ['a missing name', 'return typeof missing'],
  ['comma and void', 'return (1, void 0, 2)'],
  ['regular expressions', 'return "2024-05-06".match(/(?<y>\\d{4})-(?<m>\\d\\d)/).groups.y'],
  ['lookbehind and sticky', 'const r = /(?<=\\$)\\d+/y; r.lastIndex = 1; return r.exec("$42")[0]'],
  ['unicode classes', 'return "añb1".match(/\\p{L}+/u)[0] + "👍🏽x".match(/\\p{Emoji}/gu).length'],
  ['sets in classes', 'return "abc1".match(/[\\p{L}--[b]]+/v)[0]'],
  [
    'matchAll and replaceAll',
    'return [[..."a1b2".matchAll(/[a-z](\\d)/g)].map((m) => m[1]), "a-b-c".replaceAll("-", "+"), "ab".replace(/(a)(b)/, "$2$1")]',
  ],
  ['replace by a function', 'return "a1b22".replace(/\\d+/g, (m, at) => `<${m}@${at}>`)'],
  ['indices of matches', 'return /a(b)/d.exec("xab").indices[1]'],
  ['await at the top', 'return await Promise.resolve(3)'],
  [
    'awaiting in a loop',
    'let n = 0; for (const p of [1, 2].map((x) => Promise.resolve(x))) n += await p; return n',
  ],
  ['immediately called functions', 'return (() => 5)()'],
  ['new.target', 'function F() { return new.target === F } return [new F() instanceof F, F()]'],
  [
    'symbols',
    'const s = Symbol("a"); return [s.toString(), s.description, { [s]: 1 }[s], Symbol.for("x") === Symbol.for("x")]',
  ],
  [
    'weak collections',
    'const k = {}; const m = new WeakMap([[k, 1]]); const s = new WeakSet([k]); return [m.get(k), s.has(k), new WeakRef(k).deref() === k]',
  ],
  ['strict mode', 'return (function () { return this === undefined })()'],
  ['numeric literals', 'return [0b101, 0o17, 0xff, 1e3, .5]'],
  ['unicode escapes', 'return "\\u{1F600}".length + "\\x41"'],
  ['hoisting', 'return f(); function f() { return 1 }'],
  [
    'using a disposable',
    'const out = []; { const s = new DisposableStack(); s.defer(() => out.push(1)); s.dispose() } return out',
  ],
  [
    'an aggregate error',
    'try { await Promise.any([Promise.reject(new Error("a"))]) } catch (e) { return [e.name, e.errors.length] }',
  ],
  // TypeScript.
  ['annotations', 'const f = (a: number, b?: string): string => `${a}${b ?? ""}`; return f(1)'],
  [
    'interfaces and types',
    'interface A { a: number } type B = A & { b?: string }; const x: B = { a: 1 }; return x',
  ],
  ['generics', 'function id<T extends object>(a: T): T { return a } return id<{ a: number }>({ a: 1 })'],
  [
    'as, satisfies, !',
    'const a = { b: 1 } as const satisfies { b: number }; return (a.b! as unknown as number) + 1',
  ],
  [
    'class modifiers',
    'class A { private readonly a: number = 1; protected static b?: string; public get c(): number { return this.a } } return new A().c',
  ],
  [
    'parameter properties',
    'class A { constructor(private readonly a: string, public b = 2) {} show() { return this.a + this.b } } return new A("x").show()',
  ],
  [
    'parameter properties of a subclass',
    'class A { a = 1 } class B extends A { constructor(public b: number) { super(); this.b += this.a } } return new B(2).b',
  ],
  [
    'implements and abstract',
    'interface I { m(): number } abstract class A implements I { abstract m(): number; n() { return this.m() } } class B extends A { override m() { return 4 } } return new B().n()',
  ],
  ['enums', 'enum Level { Low, Mid = 5, High } return [Level.High, Level[5], Object.keys(Level).length]'],
  [
    'text enums',
    'enum State { Open = "open", Done = "done" } const s: State = State.Open; return [s, Object.values(State)]',
  ],
  ['const enums', 'const enum Flag { A = 1 << 0, B = 1 << 1, AB = A | B } return Flag.AB'],
  [
    'overloads',
    'function f(a: string): string; function f(a: number): number; function f(a: any) { return a } return f(3)',
  ],
  ['definite assignment', 'let a!: number; a = 3; return a'],
  [
    'type guards',
    'const isText = (a: unknown): a is string => typeof a === "string"; return [1, "a"].filter(isText)',
  ],
  ['index signatures', 'class A { [key: string]: unknown; a = 1 } return new A().a'],
  [
    'mapped and conditional types',
    'type M<T> = { [K in keyof T]?: T[K] extends string ? 1 : 2 }; const m: M<{ a: string }> = { a: 1 }; return m',
  ],
  ['optional parameters and tuples', 'const f = (...[a, b]: [number, string?]): number => a; return f(1)'],
  [
    'this parameters',
    'function f(this: { a: number }, b: number) { return this.a + b } return f.call({ a: 1 }, 2)',
  ],
  ['declare', 'declare const missing: number; return typeof missing'],
  ['generic arrows', 'const wrap = <T,>(a: T): T[] => [a]; return wrap<number>(1)'],
  [
    'accessor fields by hand',
    'class A { private _v: number | null = null; get v(): number { return this._v ?? 0 } set v(x: number) { this._v = x } } const a = new A(); a.v = 3; return a.v',
  ],
  // Objects, arrays, texts, numbers.
  [
    'object methods',
    'return [Object.entries({ a: 1 }), Object.fromEntries([["b", 2]]), Object.assign({}, { c: 3 }), Object.hasOwn({ d: 1 }, "d")]',
  ],
  [
    'freezing',
    'const o = Object.freeze({ a: 1 }); try { o.a = 2 } catch (e) { return [e.name, Object.isFrozen(o)] }',
  ],
  [
    'grouping',
    'return [Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even")), [...Map.groupBy([1, 2], (n) => n > 1)]]',
  ],
  [
    'property descriptors',
    'const o = {}; Object.defineProperty(o, "a", { value: 1, enumerable: false }); return [Object.keys(o), o.a, Object.getOwnPropertyNames(o)]',
  ],
  [
    'array methods',
    'return [[3, 1, 2].sort(), [1, [2, [3]]].flat(Infinity), [1, 2].includes(2), [1, 2, 3].at(-1), Array.from({ length: 2 }, (_, i) => i * 2)]',
  ],
  [
    'array copies',
    'const a = [3, 1]; return [a.toSorted(), a.toReversed(), a.with(0, 9), a.toSpliced(0, 1), a]',
  ],
  [
    'array searches',
    'const a = [1, 2, 3, 4]; return [a.find((n) => n > 2), a.findLast((n) => n < 3), a.findIndex((n) => n > 5), a.some((n) => n > 3), a.every((n) => n > 0), a.indexOf(3)]',
  ],
  ['reduce', 'return [[1, 2, 3].reduce((a, b) => a + b, 0), ["a", "b"].reduceRight((a, b) => a + b)]'],
  [
    'flatMap and fill',
    'return [[1, 2].flatMap((n) => [n, n]), new Array(2).fill(0), Array.of(7), [1, 2, 3, 4].copyWithin(0, 2)]',
  ],
  [
    'splice and slice',
    'const a = [1, 2, 3, 4]; const b = a.splice(1, 2, 9); return [a, b, a.slice(-2), a.concat([5]), a.join("-")]',
  ],
  ['fromAsync', 'return await Array.fromAsync([Promise.resolve(1), 2])'],
  ['sorting with a function', 'return [{ n: 2 }, { n: 1 }].sort((a, b) => a.n - b.n).map((o) => o.n)'],
  [
    'texts',
    'return ["abc".padStart(5, "*"), " a ".trim(), "a,b".split(","), "abc".slice(-2), "ab".repeat(2), "abc".at(-1), "a".codePointAt(0), "x".concat("y")]',
  ],
  [
    'text searches',
    'return ["hello".includes("ell"), "hello".startsWith("he"), "hello".lastIndexOf("l"), "hello".search(/l/), "Straße".toUpperCase()]',
  ],
  [
    'well-formed texts',
    'return ["a\\ud800".isWellFormed(), "a\\ud800".toWellFormed(), "é".normalize("NFD").length]',
  ],
  [
    'numbers',
    'return [(1234.5678).toFixed(2), Number.parseInt("12px"), Number("0x10"), (255).toString(16), Number.isInteger(5), 0.1 + 0.2, Number.MAX_SAFE_INTEGER, (0.00001).toPrecision(3), (123.456).toExponential(1)]',
  ],
  [
    'Math',
    'return [Math.max(1, 3, 2), Math.hypot(3, 4), Math.trunc(-1.5), Math.sign(-3), Math.cbrt(27), Math.clz32(1), Math.round(2.5), Math.log2(8), Math.fround(1.5)]',
  ],
  ['precise sums', 'return [0.1, 0.2, 0.3].reduce((a, b) => a + b).toFixed(10)'],
  ['Math.random', 'const n = Math.random(); return n >= 0 && n < 1'],
  [
    'JSON',
    'return [JSON.stringify({ a: [1, undefined, null], b: undefined, d: new Date(0) }), JSON.parse("[1]", (k, v) => (k === "0" ? v + 1 : v)), JSON.stringify({ a: 1 }, null, 2)]',
  ],
  ['JSON errors', 'try { JSON.parse("{a") } catch (e) { return e.name }'],
  ['JSON of bigints', 'try { JSON.stringify(1n) } catch (e) { return e.name }'],
  [
    'Map',
    'const m = new Map([["a", 1]]); m.set("b", 2); return [m.size, [...m.keys()], m.has("a"), m.delete("a"), Object.fromEntries(m)]',
  ],
  [
    'Set methods',
    'const a = new Set([1, 2]); const b = new Set([2, 3]); return [[...a.union(b)], [...a.intersection(b)], [...a.difference(b)], [...a.symmetricDifference(b)], a.isSubsetOf(b)]',
  ],
  [
    'iterator helpers',
    'return [...[1, 2, 3].values().filter((n) => n > 1).map((n) => n * 2).take(5)].concat(Iterator.from([1]).toArray())',
  ],
  [
    'typed arrays',
    'const a = new Uint8Array([1, 2, 300]); return [[...a], a.subarray(1).length, new Float64Array(2).length, [...new Int16Array([1, 2]).map((n) => n * 2)]]',
  ],
  [
    'kinds of typed arrays',
    'return [Int8Array, Uint8ClampedArray, Uint16Array, Int32Array, Float32Array].map((A) => [...new A([1.5, 300, -1])]).concat([BigInt64Array, BigUint64Array].map((A) => String(new A([-1n]))))',
  ],
  [
    'kinds of errors',
    'return [SyntaxError, ReferenceError, EvalError, URIError].map((E) => String(new E("m"))).concat([String(new AggregateError([], "m")), String(new SuppressedError(1, 2, "m"))])',
  ],
  ['new RegExp', 'return new RegExp("a+", "gi").flags + new RegExp("(b)").exec("abc")[1]'],
  [
    'asynchronous disposal',
    'const out = []; const s = new AsyncDisposableStack(); s.defer(async () => out.push(1)); await s.disposeAsync(); return out',
  ],
  [
    'clearImmediate',
    'let n = 0; clearImmediate(setImmediate(() => n++)); await new Promise((d) => setTimeout(d, 2)); return n',
  ],
  [
    'data views',
    'const v = new DataView(new ArrayBuffer(8)); v.setFloat32(0, 1.5); v.setInt16(4, -2, true); return [v.getFloat32(0), v.getInt16(4, true), v.getUint8(5)]',
  ],
  [
    'growing buffers',
    'const b = new ArrayBuffer(2, { maxByteLength: 8 }); b.resize(4); return [b.byteLength, b.slice(1).byteLength, b.transfer().byteLength]',
  ],
  ['half floats', 'return [new Float16Array([1.5])[0], Math.f16round(1.337)]'],
  ['base64', 'return [btoa("hello"), atob("aGVsbG8=")]'],
  [
    'URI functions',
    'return [encodeURIComponent("a b&ü"), decodeURIComponent("%C3%BC"), encodeURI("http://a/b c"), decodeURI("%20"), escape("ü"), unescape("%FC")]',
  ],
  [
    'parsing numbers',
    'return [parseInt("101", 2), parseFloat("1.5e3x"), isNaN("a"), isFinite("5"), NaN === NaN, Object.is(NaN, NaN), Infinity > 1]',
  ],
  [
    'Date in UTC',
    'const d = new Date(Date.UTC(2024, 1, 29, 12)); d.setUTCMonth(2); return [d.toISOString(), d.getUTCDay(), d.toJSON(), d.getTime()]',
  ],
  [
    'Date parsing',
    'return [Date.parse("2024-02-29T10:00:00Z"), new Date("2024-02-29").getTime(), new Date("nope").getTime(), new Date(2024, 0, 1) instanceof Date, new Date("2024-02-29T10:00:00+02:00").toISOString()]',
  ],
  ['Date texts', 'return [new Date(0).toUTCString(), new Date("2024-02-30").toString() === "Invalid Date"]'],
  ['Date arithmetic', 'return (new Date("2024-03-01") - new Date("2024-02-01")) / 86400000'],
  ['Date.now', 'return Math.abs(Date.now() - new Date().getTime()) < 1000'],
  [
    'Boolean and String objects',
    'return [Boolean(""), String(null), String([1, [2]]), Number(null), Number(""), typeof Object(1)]',
  ],
  [
    'BigInt functions',
    'return [String(BigInt.asUintN(8, 257n)), String(BigInt("12")), 5n > 4, String(-7n / 2n)]',
  ],
  [
    'Reflect',
    'const o = { a: 1 }; return [Reflect.ownKeys(o), Reflect.has(o, "a"), Reflect.get(o, "a"), Reflect.set(o, "b", 2), o, Reflect.apply(Math.max, null, [1, 2])]',
  ],
  [
    'Function methods',
    'function f(a, b) { return [this.x, a, b] } return [f.call({ x: 1 }, 2, 3), f.apply({ x: 1 }, [2, 3]), f.bind({ x: 4 }, 5)(6), f.length, f.name]',
  ],
  ['sharing by WeakRef', 'const r = new FinalizationRegistry(() => {}); r.register({}, 1); return typeof r'],
  // Promises and timers.
  ['Promise.all', 'return await Promise.all([1, Promise.resolve(2)])'],
  [
    'Promise.allSettled',
    'return (await Promise.allSettled([Promise.resolve(1), Promise.reject(new Error("a"))])).map((r) => r.status)',
  ],
  [
    'Promise.race and any',
    'return [await Promise.race([Promise.resolve(1)]), await Promise.any([Promise.reject(1), Promise.resolve(2)])]',
  ],
  [
    'Promise.withResolvers and try',
    'const { promise, resolve } = Promise.withResolvers(); resolve(3); return [await promise, await Promise.try(() => 4)]',
  ],
  [
    'then, catch, finally',
    'let n = 0; const v = await Promise.reject(new Error("a")).catch((e) => e.message).finally(() => { n++ }); return [v, n]',
  ],
  ['setTimeout', 'return await new Promise((done) => setTimeout((a, b) => done([a, b]), 5, 1, 2))'],
  [
    'setInterval',
    'return await new Promise((done) => { let n = 0; const t = setInterval(() => { if (++n === 2) { clearInterval(t); done(n) } }, 1) })',
  ],
  ['setImmediate', 'return await new Promise((done) => setImmediate(done, 3))'],
  [
    'clearTimeout',
    'let n = 0; clearTimeout(setTimeout(() => n++, 1)); await new Promise((done) => setTimeout(done, 5)); return n',
  ],
  [
    'queueMicrotask',
    'const out = []; queueMicrotask(() => out.push(2)); out.push(1); await null; return out',
  ],
  [
    'order of tasks',
    'const out = []; setTimeout(() => out.push("t"), 0); Promise.resolve().then(() => out.push("m")); out.push("s"); await new Promise((done) => setTimeout(done, 5)); return out',
  ],
  ['sleeping', 'const sleep = (ms) => new Promise((r) => setTimeout(r, ms)); await sleep(2); return "ok"'],
  ['performance', 'const a = performance.now(); return typeof a === "number" && performance.now() >= a'],
  // Built-ins of runtimes.
  [
    'URL',
    'const u = new URL("../b?x=1#h", "https://user:pw@example.com:8080/a/c/d"); return [u.href, u.origin, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, u.username, u.protocol]',
  ],
  [
    'URL changes',
    'const u = new URL("https://a.example/x"); u.pathname = "/y z"; u.searchParams.set("q", "a b"); u.searchParams.append("q", "c"); u.hash = "t"; return [u.href, String(u), JSON.stringify({ u })]',
  ],
  [
    'URL errors',
    'try { new URL("nope") } catch (e) { return [e.name, e.message, URL.canParse("x"), URL.canParse("a:b"), URL.parse("x")] }',
  ],
  [
    'international hosts',
    'return [new URL("https://bücher.example/ü").href, new URL("http://[::1]:80/").host, new URL("file:///a/../b").href]',
  ],
  [
    'URLSearchParams',
    'const p = new URLSearchParams("a=1&b=2&a=3"); p.delete("b"); p.append("c", "x y&"); p.sort(); return [p.toString(), p.getAll("a"), p.get("z"), p.has("c"), [...p], p.size]',
  ],
  [
    'URLSearchParams of objects',
    'return [String(new URLSearchParams({ a: 1, b: "ü" })), String(new URLSearchParams([["x", "1"]])), Object.fromEntries(new URLSearchParams("?k=v"))]',
  ],
  [
    'TextEncoder',
    'return [[...new TextEncoder().encode("aé👍")], new TextEncoder().encodeInto("aé", new Uint8Array(2))]',
  ],
  [
    'TextDecoder',
    'return [new TextDecoder().decode(new Uint8Array([97, 195, 169])), new TextDecoder("latin1").encoding, new TextDecoder("utf-16le").decode(new Uint8Array([97, 0]))]',
  ],
  [
    'TextDecoder errors',
    'try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name }',
  ],
  [
    'TextDecoder in parts',
    'const d = new TextDecoder(); return d.decode(new Uint8Array([97, 195]), { stream: true }) + d.decode(new Uint8Array([169]))',
  ],
  [
    'structuredClone',
    'const o = { d: new Date(0), m: new Map([[1, { a: 1 }]]), s: new Set([2]), r: /a/g, n: [1, , 3] }; o.self = o; const c = structuredClone(o); return [c.self === c, c.m.get(1), c.d.getTime(), c.s.has(2), String(c.r), c !== o, 1 in c.n]',
  ],
  ['structuredClone errors', 'try { structuredClone(() => 1) } catch (e) { return e.name }'],
  [
    'AbortController',
    'const c = new AbortController(); const out = []; c.signal.addEventListener("abort", (e) => out.push(e.type)); c.abort(); return [out, c.signal.aborted, c.signal.reason.name]',
  ],
  [
    'AbortSignal',
    'const s = AbortSignal.timeout(2); await new Promise((d) => s.addEventListener("abort", d)); try { s.throwIfAborted() } catch (e) { return [e.name, AbortSignal.abort("x").reason, AbortSignal.any([AbortSignal.abort(1)]).aborted] }',
  ],
  [
    'EventTarget',
    'const t = new EventTarget(); const out = []; t.addEventListener("a", (e) => out.push(e.detail), { once: true }); t.dispatchEvent(new CustomEvent("a", { detail: 1 })); t.dispatchEvent(new CustomEvent("a", { detail: 2 })); return out',
  ],
  [
    'Event',
    'const e = new Event("a", { cancelable: true }); e.preventDefault(); return [e.type, e.defaultPrevented, e.bubbles]',
  ],
  [
    'DOMException',
    'const e = new DOMException("m", "AbortError"); return [e.name, e.message, e.code, e instanceof Error]',
  ],
  [
    'crypto.randomUUID',
    'return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()) && crypto.randomUUID() !== crypto.randomUUID()',
  ],
  [
    'crypto.getRandomValues',
    'const a = crypto.getRandomValues(new Uint8Array(16)); return [a.length, a.some((n) => n > 0), crypto.getRandomValues(new Uint32Array(2)).length]',
  ],
  [
    'crypto.subtle.digest',
    'const d = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("a")); return [...new Uint8Array(d)].map((b) => b.toString(16).padStart(2, "0")).join("")',
  ],
  ['globalThis', 'return [typeof globalThis, globalThis.Array === Array, "Map" in globalThis]'],
  [
    'asking for what may not be there',
    'return [typeof window, typeof document, typeof Deno, typeof undefined_name]',
  ],
  // Intl and locales.
  [
    'money',
    'return [(1234.5).toLocaleString("en-US", { style: "currency", currency: "USD" }), new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" }).format(1234.5)]',
  ],
  [
    'numbers in locales',
    'return [(1234567.891).toLocaleString(), (0.256).toLocaleString("en-US", { style: "percent" }), new Intl.NumberFormat("en", { notation: "compact" }).format(12345), (12n).toLocaleString("de")]',
  ],
  ['number parts', 'return new Intl.NumberFormat("en-US").formatToParts(1234.5).map((p) => p.type)'],
  ['units', 'return new Intl.NumberFormat("en", { style: "unit", unit: "kilometer-per-hour" }).format(50)'],
  [
    'dates in locales',
    'return [new Date(0).toLocaleDateString("en-US", { weekday: "long", year: "numeric", month: "long", day: "numeric", timeZone: "UTC" }), new Date(0).toLocaleTimeString("en-GB", { timeZone: "UTC" })]',
  ],
  [
    'time zones',
    'return [new Date(Date.UTC(2024, 6, 1, 12)).toLocaleString("en-US", { timeZone: "America/New_York" }), new Intl.DateTimeFormat("de-DE", { timeZone: "Asia/Tokyo", dateStyle: "full", timeStyle: "short" }).format(new Date(0))]',
  ],
  [
    'date parts',
    'return new Intl.DateTimeFormat("en-US", { timeZone: "UTC" }).formatToParts(new Date(0)).map((p) => p.value).join("")',
  ],
  [
    'date ranges',
    'return new Intl.DateTimeFormat("en-US", { timeZone: "UTC" }).formatRange(new Date(0), new Date(86400000))',
  ],
  [
    'bad time zones',
    'try { new Date(0).toLocaleString("en-US", { timeZone: "Nowhere/Here" }) } catch (e) { return [e.name, e.message] }',
  ],
  [
    'sorting texts',
    'return ["a10", "a2", "a1"].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }))',
  ],
  ['localeCompare', 'return ["ä", "a", "z", "B", "b"].sort((a, b) => a.localeCompare(b))'],
  [
    'localeCompare in a locale',
    'return [["z", "ä"].sort((a, b) => a.localeCompare(b, "sv")), ["z", "ä"].sort(new Intl.Collator("de").compare), "a".localeCompare("A", "en", { sensitivity: "base" })]',
  ],
  [
    'plurals',
    'const p = new Intl.PluralRules("en", { type: "ordinal" }); return [1, 2, 3, 4].map((n) => p.select(n))',
  ],
  ['relative time', 'return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-1, "day")'],
  [
    'lists',
    'return new Intl.ListFormat("en", { style: "long", type: "conjunction" }).format(["a", "b", "c"])',
  ],
  ['names of regions', 'return new Intl.DisplayNames(["en"], { type: "region" }).of("DE")'],
  [
    'segments',
    'return [...new Intl.Segmenter("en", { granularity: "word" }).segment("Hello, world")].filter((s) => s.isWordLike).map((s) => s.segment)',
  ],
  [
    'locales',
    'const l = new Intl.Locale("de-Latn-AT"); return [l.language, l.region, l.baseName, String(new Intl.Locale("zh").maximize()), Intl.getCanonicalLocales("EN-us")]',
  ],
  [
    'resolved options',
    'const { locale, numberingSystem, style } = new Intl.NumberFormat("en-US", { style: "percent" }).resolvedOptions(); return [locale, numberingSystem, style, Intl.NumberFormat.supportedLocalesOf(["en", "xx-invalid"])]',
  ],
  [
    'case in locales',
    'return ["i".toLocaleUpperCase("tr"), "I".toLocaleLowerCase("tr"), "I".toLocaleLowerCase()]',
  ],
  ['lists of numbers in locales', 'return [1234.5, new Date(0)].slice(0, 1).toLocaleString("de-DE")'],
  // The console.
  ['console.log of texts', 'console.log("a", 1, true, null, undefined, 3n, -0); return 1'],
  ['console.log with marks', 'console.log("%s is %d and %i%%", "a", 1.5, 2.7, "rest"); return 1'],
  ['console.log of errors', 'try { null.x } catch (e) { console.log(e.name) } return 1'],
  ['console.group', 'console.group("a"); console.log("b"); console.groupEnd(); console.log("c"); return 1'],
  [
    'console.count',
    'console.count(); console.count("x"); console.count(); console.countReset(); console.count(); return 1',
  ],
  ['console.table', 'console.table([{ a: 1, b: true }, { a: 2, c: 3 }]); return 1'],
  ['console.table of values', 'console.table([[1, 2], [3, 4]]); console.table([5, 6]); return 1'],
  ['console.time', 'console.time("t"); console.timeLog("missing"); return typeof console.timeEnd'],
  ['console.assert', 'console.assert(true, "a"); return 1'],
  ['console.log of sets', 'console.log(new Set()); console.log(Symbol("a")); return 1'],
  ['console.log of objects', 'console.log({ a: [1, "b"], m: new Map([["k", 1]]) }); return 1'],
  // What is not there.
  ['Proxy', 'return new Proxy({}, { get: () => 1 }).a'],
  ['Buffer', 'return Buffer.from("a").toString("hex")'],
  ['shared memory', 'return typeof SharedArrayBuffer + typeof Atomics'],
];

/** The features that differ from Node, as docs/codemode.md says. */
export const differing: ReadonlySet<string> = new Set([
  'a missing property',
  'console.log of objects',
  'Proxy',
  'Buffer',
  'shared memory',
]);
