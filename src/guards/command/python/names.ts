// The names of Python's libraries: one spelling for each, and what stands free of any import.

/** Other names of the same library. */
const synonyms: Readonly<Record<string, string>> = {
  posix: 'os',
  nt: 'os',
  posixpath: 'os.path',
  ntpath: 'os.path',
  __builtin__: 'builtins',
  __builtins__: 'builtins',
  cPickle: 'pickle',
  _pickle: 'pickle',
  dill: 'pickle',
  cloudpickle: 'pickle',
  joblib: 'pickle',
  _socket: 'socket',
  urllib2: 'urllib.request',
  httplib: 'http.client',
  subprocess32: 'subprocess',
  commands: 'subprocess',
  psycopg2: 'psycopg',
  imp: 'importlib',
};

/** Libraries that others hold as attributes: `subprocess.os` is `os`. */
const held = new Set(
  'os sys subprocess shutil socket ctypes builtins importlib posix signal pickle threading types pathlib'.split(
    ' ',
  ),
);

/** Answers given before: the same few names come again and again. */
const answers = new Map<string, string>();
const mostAnswers = 2048;

/** The spelling under which the tables know a name. */
export function canonical(name: string): string {
  const known = answers.get(name);
  if (known !== undefined) return known;
  const full = spelled(name);
  if (answers.size >= mostAnswers) answers.clear();
  answers.set(name, full);
  return full;
}

function spelled(name: string): string {
  const parts = name.split('.');
  let first = 0;
  for (let index = parts.length - 1; index > 0; index--) {
    // A library keeps some for itself: `tempfile._os`.
    const part = (parts[index] ?? '').replace(/^_/, '');
    if (held.has(part) && part !== parts[index - 1]) {
      first = index;
      break;
    }
  }
  const [given = '', ...rest] = parts.slice(first);
  const top = first > 0 ? given.replace(/^_/, '') : given;
  let full = [synonyms[top] ?? top, ...rest].join('.');
  full = full
    .replace(/^setuptools\._distutils\./, 'distutils.')
    .replace(/^six\.moves\.(?:urllib\.)?/, 'urllib.')
    .replace(/^(requests|httpx)\.(?:api|sessions|_api)\./, '$1.')
    .replace(/^urllib\.(urlopen|urlretrieve|URLopener)$/, 'urllib.request.$1')
    .replace(/^multiprocessing\.(?:process|pool|context|dummy)\./, 'multiprocessing.')
    .replace(/^concurrent\.futures\.(?:thread|process)\./, 'concurrent.futures.')
    .replace(/^subprocess\.create_subprocess_/, 'asyncio.create_subprocess_');
  return full;
}

/** What stands free of any import. */
export const builtins = new Set(
  'abs aiter all any anext ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod enumerate eval exec execfile exit filter float format frozenset getattr globals hasattr hash hex id input int isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print property quit range raw_input reload repr reversed round set setattr slice sorted staticmethod str sum super tuple type unicode vars xrange zip __import__'.split(
    ' ',
  ),
);
