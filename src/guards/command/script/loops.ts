// What the shape of a loop tells: whether it ends, and whether it grows.

import type { Expression, Statement } from './program.ts';
import type { Thing } from './things.ts';

/** Whether a loop may be left from within. */
export function leaves(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    switch (statement.form) {
      case 'break':
      case 'return':
      case 'raise':
        return true;
      case 'if':
        return leaves(statement.yes) || leaves(statement.no);
      case 'while':
      case 'for':
        return returns(statement.body);
      case 'try':
        return (
          leaves(statement.body) ||
          statement.handlers.some(({ body }) => leaves(body)) ||
          leaves(statement.last)
        );
      case 'with':
      case 'block':
        return leaves(statement.body);
      case 'cases':
        return statement.cases.some(leaves);
      case 'expression':
        return isExit(statement.value);
      default:
        return false;
    }
  });
}

function returns(statements: readonly Statement[]): boolean {
  return statements.some(
    (statement) =>
      statement.form === 'return' ||
      statement.form === 'raise' ||
      (statement.form === 'if' && (returns(statement.yes) || returns(statement.no))) ||
      (statement.form === 'expression' && isExit(statement.value)),
  );
}

function isExit(value: Expression): boolean {
  if (value.form !== 'call') return false;
  const { callee } = value;
  return /^(?:_?exit|quit|abort)$/.test(
    callee.form === 'attribute' || callee.form === 'name' ? callee.name : '',
  );
}

/** Whether each round of a loop holds more memory than the one before, and nothing waits. */
export function grows(statements: readonly Statement[]): boolean {
  return (
    statements.length > 0 &&
    statements.every((statement) => {
      if (statement.form === 'assign') return true;
      if (statement.form !== 'expression' || statement.value.form !== 'call') return false;
      const { callee } = statement.value;
      return (
        callee.form === 'attribute' &&
        /^(?:append|extend|push|add|write|writelines|writeFileSync|appendFileSync)$/.test(callee.name)
      );
    }) &&
    statements.some((statement) => statement.form === 'expression' || lengthens(statement))
  );
}

/** Whether a text or a list is added to itself: `data += more`. */
function lengthens(statement: Statement): boolean {
  if (statement.form !== 'assign' || statement.value.form !== 'binary') return false;
  const { operator, right } = statement.value;
  const counts = right.form === 'constant' && right.thing.kind === 'number';
  return /^\+=?$/.test(operator) && !counts;
}

/** Whether a loop over a thing goes on for ever, or as good as. */
export function isEndless(thing: Thing): boolean {
  return thing.kind === 'handle' && thing.type === 'endless';
}
