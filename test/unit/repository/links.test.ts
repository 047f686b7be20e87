import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isFile, projectFiles, ROOT, readSource } from '../../support/files.ts';

const DOCUMENTS = projectFiles().filter((path) => path.endsWith('.md'));

test('every relative link of the documents leads to a file, and to a line of it', () => {
  expect(DOCUMENTS.flatMap((path) => deadLinks(path, readSource(path)))).toEqual([]);
});

test('a dead link is found: no such file, or no such line', () => {
  const markdown = '[a](gone.md) [b](../package.json#L1) ![c](../package.json#L2-L9999) [d](/src) [e](#part)';
  expect(deadLinks('docs/page.md', markdown)).toEqual([
    'docs/page.md links to gone.md',
    'docs/page.md links to ../package.json#L2-L9999',
  ]);
});

test('a link whose text is a file name names the file that it leads to', () => {
  const wrong = DOCUMENTS.flatMap((path) =>
    [...readSource(path).matchAll(/\[([\w./-]+\.(?:ts|mjs))\]\(([^)#\s]+)/g)].flatMap(([, text = '', target = '']) =>
      posix.basename(text) === posix.basename(target) ? [] : [`${path}: ${text} leads to ${target}`],
    ),
  );
  expect(wrong).toEqual([]);
});

test('a link whose text is an identifier leads to a file that has it', () => {
  const wrong = DOCUMENTS.flatMap((path) =>
    [...readSource(path).matchAll(/\[`(\w+)`\]\(([^)#\s]+\.ts)\)/g)].flatMap(([, name = '', target = '']) => {
      const source = readSource(posix.join(posix.dirname(path), target));
      return new RegExp(`\\b${name}\\b`).test(source) ? [] : [`${path}: ${name} is not in ${target}`];
    }),
  );
  expect(wrong).toEqual([]);
});

function deadLinks(document: string, markdown: string): string[] {
  const targets: string[] = [];
  Bun.markdown.render(markdown, {
    link: (_text, { href }) => void targets.push(href),
    image: (_text, { src }) => void targets.push(src),
  });
  return targets
    .filter((target) => isRelative(target) && !leadsToLine(document, target))
    .map((target) => `${document} links to ${target}`);
}

/** False for other hosts and for a part of the same page. */
function isRelative(target: string): boolean {
  return target !== '' && !target.startsWith('#') && !target.startsWith('//') && !/^[a-z][a-z\d+.-]*:/i.test(target);
}

function leadsToLine(document: string, target: string): boolean {
  const name = decodeURI(target.replace(/[#?].*$/, ''));
  const path = name.startsWith('/') ? name.slice(1) : posix.join(posix.dirname(document), name);
  if (!existsSync(join(ROOT, path))) return false;
  const [, first, last] = /#L(\d+)(?:-L(\d+))?$/.exec(target) ?? [];
  if (first === undefined) return true;
  return isFile(join(ROOT, path)) && Number(last ?? first) <= readSource(path).trimEnd().split('\n').length;
}
