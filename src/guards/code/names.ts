// The names that code may refer to without declaring them, and those that stand for a way out of the sandbox.

/** The categories, in the order in which they are reported. */
export const categories = [
  'module_import',
  'network_api',
  'process_api',
  'process_execution_api',
  'filesystem_api',
  'dynamic_code_api',
  'low_level_network_module',
] as const;

export type Category = (typeof categories)[number];

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** What the sandbox offers beside tools. */
export const allowedGlobals: ReadonlySet<string> = new Set(
  words(`
    undefined NaN Infinity isNaN isFinite parseInt parseFloat
    encodeURIComponent decodeURIComponent encodeURI decodeURI escape unescape atob btoa
    Object Array String Number Boolean BigInt Symbol Math JSON Date RegExp Promise Iterator performance
    Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer DataView
    Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array
    Float16Array Float32Array Float64Array BigInt64Array BigUint64Array
    Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError
    console setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask
    Reflect Intl URL URLSearchParams TextEncoder TextDecoder structuredClone crypto DOMException
    Event EventTarget CustomEvent AbortController AbortSignal SuppressedError
    DisposableStack AsyncDisposableStack
  `),
);

/** What does the work of a name that is not there. */
export const replacements: ReadonlyMap<string, string> = new Map([
  ['Buffer', 'Use TextEncoder, TextDecoder, atob and btoa.'],
  ['SharedArrayBuffer', 'Use ArrayBuffer.'],
  ['lodash', 'Write it with the methods of Array and Object.'],
  ['_', 'Write it with the methods of Array and Object.'],
  ['moment', 'Use Date and Intl.DateTimeFormat.'],
  ['dayjs', 'Use Date and Intl.DateTimeFormat.'],
  ['arguments', 'Name the parameters.'],
]);

/** Built-ins that a model is shown; the objects of the language it knows. */
export const builtInNames =
  'Intl, URL, URLSearchParams, TextEncoder, TextDecoder, structuredClone, atob, btoa, crypto.randomUUID, crypto.getRandomValues, crypto.subtle.digest, AbortController, EventTarget, Reflect, console, setTimeout, setInterval, queueMicrotask, performance.now';

/** Other names of the object that holds the globals. */
export const globalObjects: ReadonlySet<string> = new Set(
  words('globalThis window self global frames top parent'),
);

/** What runs a function later; given a text, some of them run that as code. */
export const timers: ReadonlySet<string> = new Set(words('setTimeout setInterval setImmediate'));

const named: Readonly<Record<Category, string>> = {
  module_import: 'require module exports importScripts createRequire __non_webpack_require__',
  network_api: `
    fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource navigator sendBeacon
    Request Response Headers FormData RTCPeerConnection BroadcastChannel MessageChannel postMessage
    document location history open Image Audio caches chrome browser axios undici got superagent ky`,
  process_api: 'process Deno Bun os v8 inspector nodeProcess',
  process_execution_api: `
    child_process childProcess spawn spawnSync exec execSync execFile execFileSync fork
    Worker SharedWorker ServiceWorker worker_threads cluster execa shelljs zx`,
  filesystem_api: `
    fs fsPromises path readFile readFileSync writeFile writeFileSync appendFile appendFileSync
    readdir readdirSync mkdir mkdirSync rm rmSync rmdir rmdirSync unlink unlinkSync rename renameSync
    copyFile copyFileSync stat statSync lstat lstatSync access accessSync existsSync chmod chmodSync
    createReadStream createWriteStream watchFile symlink symlinkSync __dirname __filename
    localStorage sessionStorage indexedDB showOpenFilePicker showSaveFilePicker`,
  dynamic_code_api: `
    eval Function AsyncFunction GeneratorFunction AsyncGeneratorFunction execScript
    WebAssembly Proxy ShadowRealm vm vm2`,
  low_level_network_module: 'http https http2 net dns tls dgram',
};

const byName: ReadonlyMap<string, Category> = new Map(
  categories.flatMap((category) => words(named[category]).map((name) => [name, category] as const)),
);

/** What a global of this name would give. */
export function categoryOf(name: string): Category | undefined {
  return byName.get(name);
}

/** What a module of this name would give, beside that it is loaded. */
export function categoryOfModule(name: string): Category | undefined {
  const [first = ''] = name.replace(/^node:/, '').split('/');
  return byName.get(first);
}

/** Properties that lead from any value to the means of making code, or to what other code relies on. */
export const walks: ReadonlySet<string> = new Set(
  words(`
    constructor __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__
    getPrototypeOf setPrototypeOf callee caller prepareStackTrace
  `),
);

/** Methods that call what they are given once for each of their members. */
export const repeaters: ReadonlySet<string> = new Set(
  words(`
    map forEach filter flatMap reduce reduceRight some every find findIndex findLast findLastIndex
    sort toSorted from fromAsync replace replaceAll groupBy
  `),
);
