// The console inside of a VM: values as JSON where they are JSON, and what JSON has no form for in the words of Node.

/** Source that takes how a line is logged, the clock, and gives the console and how it shows a value. */
export const consoleBuiltins = `(log, freeze, named, hidden) => {
  const { stringify } = JSON;
  const { keys } = Object;
  const text = String;
  const Failure = Error;
  const Later = Promise;
  const clock = performance;
  const now = hidden(() => clock.now());
  const deepest = 50;

  const nameOf = (value) => {
    const made = value.constructor;
    return typeof made === 'function' ? made.name : 'Object';
  };
  const listed = (opened, parts, closed) => opened + parts.join(',') + closed;
  const look = hidden((value, seen, isTop) => {
    switch (typeof value) {
      case 'string':
        return isTop ? value : stringify(value);
      case 'number':
        return value === 0 && 1 / value < 0 ? '-0' : text(value);
      case 'bigint':
        return text(value) + 'n';
      case 'function':
        return '[Function: ' + (value.name || '(anonymous)') + ']';
      case 'object':
        break;
      default:
        return text(value);
    }
    if (value === null) return 'null';
    if (seen.includes(value)) return '[Circular]';
    if (seen.length > deepest) return '[…]';
    const inside = [...seen, value];
    const inner = (one) => look(one, inside, false);
    if (value instanceof Failure) return text(value);
    if (value instanceof Date) return value.getTime() === value.getTime() ? (isTop ? value.toISOString() : stringify(value)) : 'Invalid Date';
    if (value instanceof RegExp || value instanceof URLSearchParams) return text(value);
    if (value instanceof Map) return listed('Map(' + value.size + ') {', [...value].map(([key, one]) => inner(key) + ' => ' + inner(one)), '}');
    if (value instanceof Set) return listed('Set(' + value.size + ') {', [...value].map(inner), '}');
    if (value instanceof Later) return 'Promise {}';
    if (value instanceof WeakMap || value instanceof WeakSet) return nameOf(value) + ' {}';
    if (value instanceof ArrayBuffer) return 'ArrayBuffer(' + value.byteLength + ')';
    if (ArrayBuffer.isView(value)) {
      return value instanceof DataView ? 'DataView(' + value.byteLength + ')' : listed(nameOf(value) + '(' + value.length + ') [', [...value].map(inner), ']');
    }
    if (typeof value.toJSON === 'function') return inner(value.toJSON());
    if (Array.isArray(value)) return listed('[', Array.from(value, inner), ']');
    return listed('{', keys(value).map((key) => stringify(key) + ':' + inner(value[key])), '}');
  });
  const shown = hidden((value) => {
    try {
      return look(value, [], true);
    } catch {
      return '(not shown)';
    }
  });

  /** The line of some values; the first may say how the others are written. */
  const lineOf = hidden((parts) => {
    let line = '';
    let next = 0;
    if (typeof parts[0] === 'string' && parts.length > 1) {
      next = 1;
      line = parts[0].replace(/%([sdifjoOc%])/g, (mark, kind) => {
        if (kind === '%') return '%';
        if (next >= parts.length) return mark;
        const value = parts[next++];
        if (kind === 'c') return '';
        if (kind === 's') return shown(value);
        if (kind === 'd') return typeof value === 'object' ? 'NaN' : typeof value === 'bigint' ? value + 'n' : text(Number(value));
        if (kind === 'i') return typeof value === 'object' ? 'NaN' : text(parseInt(value, 10));
        if (kind === 'f') return text(parseFloat(value));
        return look(value, [], false);
      });
    }
    for (let at = next; at < parts.length; at++) line += (at === 0 ? '' : ' ') + shown(parts[at]);
    return line;
  });

  let indent = '';
  const say = hidden((level, line) => log(level, indent === '' ? line : indent + line.replaceAll('\\n', '\\n' + indent)));
  const speak = (level, name = level) => named(name, (...parts) => say(level, lineOf(parts)));
  const counts = new Map();
  const timers = new Map();
  const elapsed = (label) => label + ': ' + (now() - timers.get(label)).toFixed(3) + 'ms';
  const labelOf = (label) => (label === undefined ? 'default' : text(label));

  const cells = (row) => (typeof row === 'object' && row !== null ? (row instanceof Map ? [...row] : keys(row).map((key) => [key, row[key]])) : null);
  const table = (rows, columns) => {
    const all = cells(rows);
    if (all === null) return say('log', shown(rows));
    const heads = [];
    let hasValues = false;
    const lines = all.map(([index, row]) => {
      const own = cells(row);
      if (own === null) hasValues = true;
      for (const [key] of own ?? []) if (!heads.includes(key)) heads.push(key);
      return { index, row, own: own === null ? null : new Map(own) };
    });
    const wanted = columns === undefined ? heads : columns;
    const width = (line) => [...line].length;
    const grid = [['(index)', ...wanted.map(text), ...(hasValues ? ['Values'] : [])]];
    for (const { index, row, own } of lines) {
      const line = [text(index), ...wanted.map((key) => (own?.has(key) === true ? look(own.get(key), [], false) : ''))];
      if (hasValues) line.push(own === null ? look(row, [], false) : '');
      grid.push(line);
    }
    const widths = grid[0].map((_, at) => Math.max(...grid.map((line) => width(line[at]))) + 2);
    const rule = (left, middle, right) => left + widths.map((wide) => '─'.repeat(wide)).join(middle) + right;
    const drawn = grid.map((line) => '│' + line.map((cell, at) => ' ' + cell + ' '.repeat(widths[at] - width(cell) - 1)).join('│') + '│');
    say('log', [rule('┌', '┬', '┐'), drawn[0], rule('├', '┼', '┤'), ...drawn.slice(1), rule('└', '┴', '┘')].join('\\n'));
  };

  return {
    __proto__: null,
    shown,
    console: freeze({
      __proto__: null,
      log: speak('log'),
      info: speak('info'),
      warn: speak('warn'),
      error: speak('error'),
      debug: speak('debug'),
      trace: named('trace', (...parts) => say('error', 'Trace' + (parts.length === 0 ? '' : ': ' + lineOf(parts)))),
      dir: named('dir', (value) => say('log', look(value, [], false))),
      dirxml: speak('log', 'dirxml'),
      table: named('table', table),
      assert: named('assert', (holds, ...parts) => {
        if (!holds) say('warn', 'Assertion failed' + (parts.length === 0 ? '' : ': ' + lineOf(parts)));
      }),
      count: named('count', (label) => {
        const key = labelOf(label);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        say('log', key + ': ' + counts.get(key));
      }),
      countReset: named('countReset', (label) => void counts.delete(labelOf(label))),
      group: named('group', (...parts) => {
        if (parts.length > 0) say('log', lineOf(parts));
        indent += '  ';
      }),
      groupCollapsed: named('groupCollapsed', (...parts) => {
        if (parts.length > 0) say('log', lineOf(parts));
        indent += '  ';
      }),
      groupEnd: named('groupEnd', () => {
        indent = indent.slice(2);
      }),
      time: named('time', (label) => void timers.set(labelOf(label), now())),
      timeLog: named('timeLog', (label, ...parts) => {
        const key = labelOf(label);
        if (timers.has(key)) say('log', elapsed(key) + (parts.length === 0 ? '' : ' ' + lineOf(parts)));
      }),
      timeEnd: named('timeEnd', (label) => {
        const key = labelOf(label);
        if (timers.has(key)) say('log', elapsed(key));
        timers.delete(key);
      }),
    }),
  };
}`;
