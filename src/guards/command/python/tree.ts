// The syntax tree of Python, as the world's reader gives it.

export type { ParsePython, PythonNode } from '../../../core/syntax.ts';
