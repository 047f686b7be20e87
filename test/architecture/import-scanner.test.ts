import { describe, expect, test } from 'bun:test';
import { scanImports } from './import-scanner.ts';
import { codeAndComments, codeOnly, tokenize } from './tokens.ts';

const named = (source: string): (string | null)[] => scanImports(source).map(({ specifier }) => specifier);

describe('the scanner finds', () => {
  const forms: readonly (readonly [form: string, source: string])[] = [
    ['named imports', `import { a, b as c } from 'x';`],
    ['a default import', `import a from 'x';`],
    ['a default and named ones', `import a, { type B } from 'x';`],
    ['a namespace', `import * as a from 'x';`],
    ['nothing but the side effect', `import 'x';`],
    ['types', `import type { A } from 'x';`],
    ['a type as default', `import type A from 'x';`],
    ['an empty list', `import {} from 'x';`],
    ['names that are keywords', `import { from, type as import_, default as from } from 'x';`],
    ['a default import named from', `import from from 'x';`],
    ['names in quotes', `import { 'a-b' as c } from 'x';`],
    ['double quotes', `import { a } from "x";`],
    ['several lines', `import {\n  a,\n  // from 'y'\n  b,\n} from\n  'x';`],
    ['no white space', `import{a}from'x'`],
    ['no semicolon, another statement before', `const a = 1\nimport { b } from 'x'`],
    ['attributes', `import a from 'x' with { type: 'json' };`],
    ['re-exported names', `export { a, default as b } from 'x';`],
    ['re-exported types', `export type { A } from 'x';`],
    ['everything re-exported', `export * from 'x';`],
    ['everything re-exported by a name', `export * as a from 'x';`],
    ['every type re-exported', `export type * from 'x';`],
    ['one below a hash-bang', `#!/usr/bin/env it's "quoted\nimport a from 'x';`],
    ['an import in an expression', `const a = await import('x');`],
    ['an import with options', `const a = import('x', { with: { type: 'json' } });`],
    ['a template without substitutions', 'const a = import(`x`);'],
    ['an import in a type', `type A = import('x').B; let b: typeof import('y');`],
    ['an import in a substitution', 'const a = `${(await import("x")).b}`;'],
    ['require', `const a = require('x');`],
    ['import = require', `import a = require('x');`],
    ['a file beside the module', `new Worker(new URL('x', import.meta.url));`],
  ];
  test.each(forms)('%s', (_form, source) => {
    expect(named(source)[0]).toBe('x');
  });

  test('all of them, in order, each with its line', () => {
    const source = `import 'a';\n/* two\nlines */ export * from 'b';\nconst c = () =>\n  import('c');\n`;
    expect(scanImports(source)).toEqual([
      { specifier: 'a', line: 1 },
      { specifier: 'b', line: 3 },
      { specifier: 'c', line: 5 },
    ]);
  });

  test('imports whose specifier is computed', () => {
    expect(named('import(name); import(`./${name}.ts`); import("a" + b); require(name);')).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('the scanner is not taken in by', () => {
  const innocent: readonly (readonly [what: string, source: string])[] = [
    ['a line comment', `// import 'x';`],
    ['a comment over lines', `/*\nimport 'x';\n*/`],
    ['a string', `const a = "import 'x'";`],
    ['a string with an escaped quote', `const a = 'it\\'s import "x"';`],
    ['a template', 'const a = `\nimport "x";\nexport * from "y"; ${b} import("z")`;'],
    ['a template in a template', 'const a = `${`import("x") ${{ b: `}` }}`} import("y")`;'],
    ['a regular expression', `const a = /import('x')/; const b = /[/"']import "x"/g;`],
    ['a regular expression after a condition', `if (a) /'import "x"/.test(b);`],
    ['a regular expression after return', `function a() { return /"import('x')/; }`],
    ['import.meta', `const a = import.meta.dir + 'x';`],
    ['a property named import', `a.import('x'); const b = { import: 'x' };`],
    ['exported declarations', `export const from = 'x'; export { a }; export type A = { from: 'x' };`],
    ['an exported default', `export default 'x';`],
    ['a list exported before a string', `export { a };\n'x';`],
    ['a property named require', `a.require('x');`],
    ['a folder beside the module', `new URL('.', import.meta.url); new URL('../x/', import.meta.url);`],
    ['an address', `new URL('https://x'); new URL('x', base);`],
  ];
  test.each(innocent)('%s', (_what, source) => {
    expect(scanImports(source)).toEqual([]);
  });

  test('a division, which is no regular expression', () => {
    const source = `const a = b / 2; const c = d() / 2; const e = f[0] / 2; g++ / 2; h! / 2; import('x'); // 'y'/`;
    expect(named(source)).toEqual(['x']);
  });

  test('a quote that is never closed: the line ends it', () => {
    expect(named(`'open\nimport 'x';`)).toEqual(['x']);
  });
});

describe('tokens', () => {
  test('cover every character that is not white space, once', () => {
    const source = 'const a = `x${b}y` + /[/]/u.source; // end\n/* more */ c ||= "d";';
    expect(tokenize(source).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'word const',
      'word a',
      'sign =',
      'template `x${',
      'word b',
      'template }y`',
      'sign +',
      'regex /[/]/u',
      'sign .',
      'word source',
      'sign ;',
      'comment // end',
      'comment /* more */',
      'word c',
      'sign |',
      'sign |',
      'sign =',
      'text "d"',
      'sign ;',
    ]);
    expect(tokenize(source).every(({ text, at }) => source.startsWith(text, at))).toBe(true);
  });

  test('show the code without what is quoted or remarked, at the same offsets', () => {
    const source = `f('a b', /c/); // d\n/* e\n */ g(\`h\${i}j\`);`;
    expect(codeOnly(source)).toBe(`f('   ', / /);     \n    \n    g(\`  {i} \`);`);
    expect(codeAndComments(source)).toBe(`f('   ', / /); // d\n/* e\n */ g(\`  {i} \`);`);
  });
});
