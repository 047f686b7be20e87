import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { nameInMail } from '../../../src/vouchers/plain-text.ts';

test.each([
  ['Ada Lovelace', 'Ada Lovelace'],
  ['J.R.R. Tolkien', 'J. R. R. Tolkien'],
  ['สมชาย ใจดี', 'สมชาย ใจดี'],
  ['pay at evil.example', 'pay at evil. example'],
  ['https://evil.example/x', 'https: //evil. example/x'],
  ['http://localhost/', 'http: //localhost/'],
  ['evil。example', 'evil。 example'],
  ['192.0.2.1', '192. 0. 2. 1'],
  ['eve@evil.example', 'eve@evil. example'],
  ['a'.repeat(60), 'a'.repeat(60)],
  ['a'.repeat(61), `${'a'.repeat(59)}…`],
  [`${'a'.repeat(58)}👩‍👧‍👦b`, `${'a'.repeat(58)}…`],
  [`${'a'.repeat(58)} bc`, `${'a'.repeat(58)}…`],
])('%j stands in a mail as %j', (name, shown) => {
  expect(nameInMail(name)).toBe(shown);
});

test('a name in a mail has at most 60 characters, one line, and nothing that a mail program links', () => {
  const parts = fc.constantFrom('evil', '.', 'example', '://', 'http', '/', '\n', '\u202e', '😀', '\u0301', ' ', '。');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 60 }), (name) => {
      const shown = nameInMail(name.join(''));
      expect(shown.length).toBeLessThanOrEqual(60);
      expect(shown).not.toMatch(/[\n\u202e]|:\/\/|[.。][\p{L}\p{N}]/u);
      expect(shown.isWellFormed()).toBe(true);
    }),
  );
});
