// The syntax tree of JavaScript (ESTree), as the world's reader gives it.

export type { JavascriptNode, ParseJavascript } from '../../../core/syntax.ts';
