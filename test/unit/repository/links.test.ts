import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isFile, projectFiles, ROOT, readSource } from '../../support/files.ts';
import { isRelative, lastLine, markdownLinks } from './markdown-links.ts';

test('every relative link of the documents leads somewhere', () => {
  const documents = projectFiles().filter((path) => path.endsWith('.md'));
  expect(documents.flatMap((path) => deadLinks(path, readSource(path)))).toEqual([]);
});

test('a link whose text is a file name names the file that it leads to', () => {
  const documents = projectFiles().filter((path) => path.endsWith('.md'));
  const wrong = documents.flatMap((path) =>
    [...readSource(path).matchAll(/\[([\w./-]+\.(?:ts|mjs))\]\(([^)#\s]+)/g)].flatMap(([, text = '', target = '']) =>
      posix.basename(text) === posix.basename(target) ? [] : [`${path}: ${text} leads to ${target}`],
    ),
  );
  expect(wrong).toEqual([]);
});

describe('links', () => {
  test('are read from text, by reference and from images, not from code', () => {
    const markdown = [
      '[a](one.md) and ![b](two.png "title"), [c](<three four.md>) [d](five_(six).md)',
      '`[no](code.md)` ``[no](`more`.md)`` [e][ref]',
      '```sh',
      '[no](fenced.md)',
      '```',
      '[ref]: seven.md#L3',
      '[f](https://example.org/x) [g](#here)',
    ].join('\n');
    expect(markdownLinks(markdown)).toEqual([
      { target: 'one.md', line: 1 },
      { target: 'two.png', line: 1 },
      { target: 'three four.md', line: 1 },
      { target: 'five_(six).md', line: 1 },
      { target: 'seven.md#L3', line: 6 },
      { target: 'https://example.org/x', line: 7 },
      { target: '#here', line: 7 },
    ]);
  });

  test('to other hosts and within the page are left alone', () => {
    const targets = ['https://example.org', 'mailto:a@example.org', '//example.org', '#part', ''];
    expect(targets.filter(isRelative)).toEqual([]);
    expect(['a.md', '../a.md', '/docs/a.md', 'docs/'].filter(isRelative)).toHaveLength(4);
  });

  test('that lead nowhere are named: no such file, or no such line', () => {
    const markdown =
      '[a](gone.md)\n[b](../package.json#L1)\n[c](../package.json#L2-L9999)\n[d](/src)\n[e](../src/gone.ts#L1)';
    expect(deadLinks('docs/page.md', markdown)).toEqual([
      'docs/page.md:1 links to gone.md, which does not exist',
      'docs/page.md:3 links to ../package.json#L2-L9999, which is not so long',
      'docs/page.md:5 links to ../src/gone.ts#L1, which does not exist',
    ]);
  });
});

function deadLinks(document: string, markdown: string): string[] {
  return markdownLinks(markdown)
    .filter(({ target }) => isRelative(target))
    .flatMap(({ target, line }) => {
      const name = decodeURI(target.replace(/[#?].*$/, ''));
      const path = name.startsWith('/') ? name.slice(1) : posix.join(posix.dirname(document), name);
      if (!existsSync(join(ROOT, path))) return [`${document}:${line} links to ${target}, which does not exist`];
      const last = lastLine(target);
      if (last === null || (isFile(join(ROOT, path)) && last <= lineCount(readSource(path)))) return [];
      return [`${document}:${line} links to ${target}, which is not so long`];
    });
}

function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}
