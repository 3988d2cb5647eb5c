// Arithmetic of the shell: what an expression gives, and what happens on the way.

import type { ArithmeticExpression } from 'unbash';
import { arrayOf } from './environment.ts';
import { expandAgain, piecesOf, textOfPiece, trimEnd } from './expand.ts';
import type { Expander } from './fields.ts';
import { parameterText } from './parameters.ts';
import { concatAll, knownText, onlyText, type Text, unknownText } from './values.ts';

/** The number that an expression gives; null where it is not known. Assignments and substitutions in it happen. */
export function evaluateArithmetic(expression: ArithmeticExpression, expander: Expander): number | null {
  expander.spend(1);
  switch (expression.type) {
    case 'ArithmeticGroup':
      return evaluateArithmetic(expression.expression, expander);
    case 'ArithmeticCommandExpansion': {
      if (expression.script === undefined) return null;
      return numberOf(trimEnd(expander.capture(expression.script)), expander, 0);
    }
    case 'ArithmeticWord': {
      const text =
        expression.parts === undefined
          ? knownText(expression.value)
          : concatAll(piecesOf(expression.parts, true, expander).map(textOfPiece));
      return numberOf(text, expander, 0);
    }
    case 'ArithmeticTernary': {
      const test = evaluateArithmetic(expression.test, expander);
      const yes = evaluateArithmetic(expression.consequent, expander);
      const no = evaluateArithmetic(expression.alternate, expander);
      if (test === null) return yes === no ? yes : null;
      return test === 0 ? no : yes;
    }
    case 'ArithmeticUnary': {
      const operand = evaluateArithmetic(expression.operand, expander);
      if (expression.operator === '++' || expression.operator === '--') {
        const next = operand === null ? null : operand + (expression.operator === '++' ? 1 : -1);
        assignNumber(expression.operand, next, expander);
        return expression.prefix ? next : operand;
      }
      if (operand === null) return null;
      if (expression.operator === '-') return -operand;
      if (expression.operator === '!') return operand === 0 ? 1 : 0;
      return expression.operator === '~' ? ~operand : operand;
    }
    case 'ArithmeticBinary': {
      const { operator } = expression;
      const right = evaluateArithmetic(expression.right, expander);
      if (/^(?:[-+*/%&^|]|<<|>>)?=$/.test(operator)) {
        // Of a name that is only set nothing is evaluated; the index of an item is.
        const named = expression.left.type === 'ArithmeticWord' && /^\w+$/.test(expression.left.value);
        const left = operator === '=' && named ? 0 : evaluateArithmetic(expression.left, expander);
        const value = operator === '=' ? right : calculate(operator.slice(0, -1), left, right);
        assignNumber(expression.left, value, expander);
        return value;
      }
      return calculate(operator, evaluateArithmetic(expression.left, expander), right);
    }
  }
}

function assignNumber(target: ArithmeticExpression, value: number | null, expander: Expander): void {
  if (target.type !== 'ArithmeticWord') return;
  const item = /^(\w+)\[(\w+)\]$/.exec(target.value);
  const text = value === null ? unknownText() : knownText(String(value));
  if (item !== null) {
    const [, name = '', key = ''] = item;
    const items = new Map(expander.environment.lookUp(name)?.items ?? []);
    items.set(key, text);
    expander.environment.set(name, arrayOf(items));
  } else if (/^\w+$/.test(target.value)) expander.environment.setText(target.value, text);
}

/** A text in which a substitution stands. */
const substitution = /\$\(|`/;

/** The number that a text gives in arithmetic; null where it is not known. What it names is evaluated in turn. */
export function numberOf(text: Text, expander: Expander, depth: number): number | null {
  const runs = text.alternatives.filter((one) => substitution.test(one));
  if (runs.length > 0 && depth <= 8) {
    for (const one of runs) expandAgain(one, expander);
    return null;
  }
  const only = onlyText(text)?.trim();
  if (only === undefined || depth > 8) return null;
  if (only === '') return 0;
  if (/^0[xX][0-9a-fA-F]+$/.test(only)) return Number(only);
  if (/^0[0-7]+$/.test(only)) return Number.parseInt(only, 8);
  if (/^-?\d{1,15}$/.test(only)) return Number(only);
  const based = /^(\d{1,2})#([0-9A-Za-z]{1,12})$/.exec(only);
  if (based !== null) {
    const [, base = '10', digits = ''] = based;
    const parsed =
      Number(base) >= 2 && Number(base) <= 36 ? Number.parseInt(digits, Number(base)) : Number.NaN;
    return Number.isNaN(parsed) ? null : parsed;
  }
  if (/^[A-Za-z_]\w*$/.test(only)) {
    const value = parameterText(only, expander);
    return value === null ? null : numberOf(value, expander, depth + 1);
  }
  const item = /^([A-Za-z_]\w*)\[(\w+)\]$/.exec(only);
  if (item !== null) {
    const value = expander.environment.lookUp(item[1] ?? '')?.items?.get(item[2] ?? '');
    return value === undefined ? null : numberOf(value, expander, depth + 1);
  }
  // A longer expression: its number is not worked out, but what it names is evaluated.
  const names = new Set(only.length > 256 ? [] : only.match(/[A-Za-z_]\w*/g));
  for (const name of [...names].slice(0, 8)) {
    const value = parameterText(name, expander);
    if (value === null) continue;
    expander.spend(1);
    numberOf(value, expander, depth + 1);
  }
  return null;
}

function calculate(operator: string, left: number | null, right: number | null): number | null {
  if (left === null || right === null) return null;
  const truth = (value: boolean): number => (value ? 1 : 0);
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? null : Math.trunc(left / right);
    case '%':
      return right === 0 ? null : left % right;
    case '**':
      return right < 0 || right > 64 ? null : left ** right;
    case '<<':
      return left * 2 ** (right & 63);
    case '>>':
      return Math.floor(left / 2 ** (right & 63));
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '<':
      return truth(left < right);
    case '>':
      return truth(left > right);
    case '<=':
      return truth(left <= right);
    case '>=':
      return truth(left >= right);
    case '==':
      return truth(left === right);
    case '!=':
      return truth(left !== right);
    case '&&':
      return truth(left !== 0 && right !== 0);
    case '||':
      return truth(left !== 0 || right !== 0);
    case ',':
      return right;
    default:
      return null;
  }
}
