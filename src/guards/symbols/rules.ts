// Rule: what a change refers to exists, in the workspace as it will be. What does not is reported with the nearest real
// names and never stops the change, for nothing here can be more certain than the person who reads it.

import type { Example, Finding, Rule } from '../../core/index.ts';
import { visible } from '../../core/index.ts';
import type { Missing } from './check.ts';
import type { NewPackage } from './packages.ts';

function write(path: string, content: string, files: Readonly<Record<string, string>>): Example {
  return { action: { kind: 'write', path, content }, given: { files } };
}

const shop = {
  'src/price.ts': 'export const total = 1;\nexport function addTax(sum: number) { return sum; }\n',
  'package.json': '{"name":"shop","dependencies":{"express":"5"}}',
};
const till = {
  'shop/__init__.py': '',
  'shop/price.py': 'TOTAL = 1\n\ndef add_tax(sum):\n    return sum\n',
  'pyproject.toml': '[project]\nname = "shop"\ndependencies = ["requests"]\n',
};

const depot = {
  'go.mod': 'module example.com/depot\n\ngo 1.24\n',
  'price/price.go': 'package price\n\nfunc AddTax(sum int) int { return sum }\n',
};
/** A Go program that imports one package and does one thing. */
const program = (path: string, body: string): string =>
  `package main\n\nimport "${path}"\n\nfunc main() {\n\t${body}\n}\n`;

const missingModule: Rule = {
  id: 'missing_module',
  guard: 'symbols',
  decision: 'warn',
  reason: 'The imported module does not exist.',
  suggestion: 'Import an existing module, or write this one in the same change.',
  examples: {
    hit: [
      write('src/a.ts', "import { total } from './prices.js';\n", shop),
      write('src/a.ts', "import fs from 'node:file';\n", shop),
      write('shop/a.py', 'from shop.prices import TOTAL\n', till),
      write('main.go', program('example.com/depot/prices', 'prices.AddTax(1)'), depot),
    ],
    miss: [
      write('src/a.ts', "import { total } from './price.js';\n", shop),
      write('src/a.ts', "import logo from './logo.svg?raw';\nimport icons from 'virtual:icons';\n", {
        ...shop,
        'src/logo.svg': '<svg/>',
      }),
      write(
        'shop/a.py',
        'try:\n    from shop.prices import TOTAL\nexcept ImportError:\n    TOTAL = 0\n',
        till,
      ),
      {
        action: {
          kind: 'write',
          changes: [
            { op: 'create', path: 'src/a.ts', content: "import { rate } from './rate.ts';\n" },
            { op: 'create', path: 'src/rate.ts', content: 'export const rate = 1;\n' },
          ],
        },
        given: { files: shop },
      },
    ],
  },
};

const missingImport: Rule = {
  id: 'missing_import',
  guard: 'symbols',
  decision: 'warn',
  reason: 'The module does not export this name.',
  suggestion: 'Import a name that the module exports, or add this one in the same change.',
  examples: {
    hit: [
      write('src/a.ts', "import { addTaxes } from './price.ts';\n", shop),
      write('src/a.ts', "export { subtotal } from './price.ts';\n", shop),
      write('shop/a.py', 'from shop.price import add_taxes\n', till),
    ],
    miss: [
      write('src/a.ts', "import { addTax } from './price.ts';\n", shop),
      write('src/a.ts', "import { anything } from './old.cjs';\n", {
        'src/old.cjs': 'module.exports = make();',
      }),
      write('shop/a.py', 'from shop.price import add_tax\nfrom shop import price\n', till),
      write('shop/a.py', 'from shop.lazy import anything\n', {
        ...till,
        'shop/lazy.py': 'def __getattr__(name):\n    return 1\n',
      }),
    ],
  },
};

const missingAttribute: Rule = {
  id: 'missing_attribute',
  guard: 'symbols',
  decision: 'warn',
  reason: 'The imported module does not have this name.',
  suggestion: 'Use a name that the module exports.',
  examples: {
    hit: [
      write('src/a.ts', "import * as price from './price.ts';\nprice.addTaxes(1);\n", shop),
      write('shop/a.py', 'from shop import price\n\nprice.add_taxes(1)\n', till),
      write('main.go', program('example.com/depot/price', 'price.AddTaxes(1)'), depot),
      write('main.go', program('strings', 'strings.Reverse("")'), depot),
    ],
    miss: [
      write('src/a.ts', "import * as price from './price.ts';\nprice.addTax(price.total);\n", shop),
      write('shop/a.py', 'from shop import price\n\nprice.add_tax(price.TOTAL)\n', till),
      write('main.go', program('example.com/depot/price', 'price.AddTax(1)'), depot),
      write('shop/a.py', "from shop import price\n\nif hasattr(price, 'round'):\n    price.round()\n", till),
    ],
  },
};

const unboundName: Rule = {
  id: 'unbound_name',
  guard: 'symbols',
  decision: 'warn',
  reason: 'The called name is not declared, imported or built in.',
  suggestion: 'Import it, or call an existing name.',
  examples: {
    hit: [
      write('src/a.ts', 'export const a = computeTotal(1);\n', shop),
      write('shop/a.py', 'a = compute_total(1)\n', till),
    ],
    miss: [
      write(
        'src/a.ts',
        "import { addTax } from './price.ts';\nexport const a = addTax(structuredClone(1));\n",
        shop,
      ),
      write('src/a.ts', 'export const a = computeTotal(1);\n', {
        ...shop,
        'src/globals.d.ts': 'declare function computeTotal(sum: number): number;\n',
      }),
      write('shop/a.py', 'from shop.price import *\na = add_tax(sorted([1]))\n', till),
      write('shop/a.py', 'a = compute_total(1)  # noqa: F821\n', till),
    ],
  },
};

const undeclaredPackage: Rule = {
  id: 'undeclared_package',
  guard: 'symbols',
  decision: 'warn',
  reason: 'No manifest or lock file names this package; it may not exist or be malicious.',
  suggestion: 'Check that the package is the one that you mean before you install it.',
  examples: {
    hit: [
      write('src/a.ts', "import { z } from 'expresss';\n", shop),
      write('shop/a.py', 'import reqests_html\n', till),
    ],
    miss: [
      write('src/a.ts', "import express from 'express';\nimport { join } from 'path';\n", shop),
      write('shop/a.py', 'import requests\nimport os.path\n', till),
      write('src/a.ts', "import { z } from 'expresss';\n", { 'src/b.ts': '' }),
    ],
  },
};

const lookalikePackage: Rule = {
  id: 'lookalike_package',
  guard: 'symbols',
  decision: 'warn',
  reason: 'A new dependency has almost the name of a known package: a typo, or typosquatting.',
  suggestion: 'Check the name, and the page of the package, before you install it.',
  examples: {
    hit: [
      write('package.json', '{"dependencies":{"express":"5","expresss":"5"}}', shop),
      write('package.json', '{"devDependencies":{"nodefetch":"3"}}', {}),
      write('requirements.txt', 'requests\npytohn-dateutil\n', {}),
      write('pyproject.toml', '[project]\ndependencies = ["reqeusts>=2"]\n', till),
    ],
    miss: [
      write('package.json', '{"dependencies":{"express":"5","react":"19","preact":"10"}}', shop),
      write('package.json', '{"dependencies":{"expresss":"workspace:*"}}', shop),
      write('package.json', '{"dependencies":{"expresss":"5"},"version":"2.0.0"}', {
        'package.json': '{"dependencies":{"expresss":"5"}}',
      }),
      write('requirements.txt', 'requests\nPython_DateUtil\n# pytohn-dateutil\n-r reqeusts.txt\n', {}),
    ],
  },
};

const unknownPackage: Rule = {
  id: 'unknown_package',
  guard: 'symbols',
  decision: 'warn',
  reason: 'A new dependency is not on your list of known packages; it may not exist.',
  suggestion: 'Check that the package is the one that you mean before you install it.',
  examples: {
    hit: [
      {
        action: {
          kind: 'write',
          path: 'package.json',
          content: '{"dependencies":{"express":"5","fast-shop-kit":"1"}}',
        },
        given: {
          packages: { npm: '/workspace/names.txt' },
          files: { ...shop, 'names.txt': 'express\nfast-shop\n' },
        },
      },
    ],
    miss: [
      {
        action: {
          kind: 'write',
          path: 'package.json',
          content: '{"dependencies":{"express":"5","fast-shop-kit":"1"}}',
        },
        given: {
          packages: { npm: '/workspace/names.txt' },
          files: { ...shop, 'names.txt': 'express\nfast-shop-kit\n' },
        },
      },
      write('package.json', '{"dependencies":{"express":"5","fast-shop-kit":"1"}}', shop),
    ],
  },
};

/** The whole list. */
export const symbolRules: readonly Rule[] = [
  missingModule,
  missingImport,
  missingAttribute,
  unboundName,
  undeclaredPackage,
  lookalikePackage,
  unknownPackage,
];

/** What is known of a new package by the user's list: it is there, it is not, or the list cannot be read. */
export type Listed = boolean | null;

/** The findings on a package that a manifest adds; `listed` is undefined where there is no list. */
export function packageFindings(
  { name, almost, start, end }: NewPackage,
  listed: Listed | undefined,
  line: number,
  path: string,
  pointer: string,
): readonly Finding[] {
  const place = `Line ${line} of '${visible(path, 120)}' adds the package '${visible(name, 80)}'`;
  const finding = (rule: Rule, told: string): Finding => ({
    rule: rule.id,
    guard: 'symbols',
    decision: 'warn',
    message: `${place}, ${told}`,
    ...(rule.suggestion === undefined ? {} : { suggestion: rule.suggestion }),
    pointer,
    span: [start, end],
  });
  return [
    ...(almost === null
      ? []
      : [finding(lookalikePackage, `which is almost '${visible(almost, 80)}'. Did you mean that?`)]),
    ...(listed === undefined || listed === true
      ? []
      : [
          finding(
            unknownPackage,
            listed === null
              ? 'and your list of known packages cannot be read.'
              : 'which your list of known packages does not have.',
          ),
        ]),
  ];
}

function quoted(name: string): string {
  return `\`${visible(name, 80)}\``;
}

/** The finding on one reference; `path` is from the workspace. */
export function missingFinding(
  { reference, what, line, near }: Missing,
  path: string,
  pointer: string,
): Finding {
  const { kind, module, name, start, end } = reference;
  const [from, named] = [quoted(module), quoted(name)];
  const [rule, told] =
    what === 'package'
      ? [undeclaredPackage, `no manifest or lock file names the package ${from}`]
      : kind === 'module'
        ? [missingModule, `the module ${from} does not exist`]
        : kind === 'name'
          ? [missingImport, `${named} does not exist in ${from}`]
          : kind === 'attribute'
            ? [missingAttribute, `${named} does not exist in ${from}`]
            : [unboundName, `${named} is called, and nothing declares it`];
  const meant = near.length === 0 ? '.' : `; did you mean ${near.map(quoted).join(' or ')}?`;
  return {
    rule: rule.id,
    guard: 'symbols',
    decision: 'warn',
    message: `Line ${line} of '${visible(path, 120)}': ${told}${meant}`,
    ...(rule.suggestion === undefined ? {} : { suggestion: rule.suggestion }),
    pointer,
    span: [start, end],
  };
}
