import { describe, expect, test } from 'bun:test';
import { normalizeCode } from '../../../src/vouchers/token.ts';
import { someCode } from './given.ts';

const undashed = someCode.replaceAll('-', '');
const zerosAndOnes = 'WM-00112233445566778899-00112233445566778899AABBCC';

describe('normalizeCode returns the issued code', () => {
  test.each([
    ['as it was issued', someCode],
    ['in lower case', someCode.toLowerCase()],
    ['with white space around it', `  ${someCode}\n`],
    ['without dashes', undashed],
    ['with en dashes', someCode.replaceAll('-', '–')],
    ['with em dashes', someCode.replaceAll('-', '—')],
    ['with underscores', someCode.replaceAll('-', '_')],
    ['with spaces for dashes', someCode.replaceAll('-', ' ')],
    ['in the groups of the voucher page', 'WM-7GK2M 0Q9XW 4T1ZC 8RB5N-3H6V0Y J2PD9 S4QAE K7M1X W8TGZ'],
    ['with dashes between groups', 'WM-7GK2M-0Q9XW-4T1ZC-8RB5N-3H6V0Y-J2PD9-S4QAE-K7M1X-W8TGZ'],
    ['with invisible characters of a copied text', `\u200B${someCode.slice(0, 9)}\u00AD${someCode.slice(9)}\uFEFF`],
    ['from a full-width keyboard', `ＷＭー${someCode.slice(3)}`],
  ])('typed %s', (_, typed) => {
    expect(normalizeCode(typed)).toBe(someCode);
  });

  test('with O typed for 0, and I and L for 1', () => {
    expect(normalizeCode('WM-oO1I22334455667788 99-0OiL2233445566778899aabbcc')).toBe(
      'WM-00112233445566778899-00112233445566778899AABBCC',
    );
    expect(normalizeCode(zerosAndOnes.replaceAll('0', 'O').replaceAll('1', 'l'))).toBe(zerosAndOnes);
  });
});

describe('normalizeCode returns any other text trimmed and in upper case', () => {
  test.each([
    ['nothing', '   ', ''],
    ['another text', ' hello there ', 'HELLO THERE'],
    ['a code too short', someCode.slice(0, -1), someCode.slice(0, -1)],
    ['a code too long', `${someCode}A`, `${someCode}A`],
    ['no prefix', someCode.slice(3), someCode.slice(3)],
    ['a prefix with look-alikes', `VVM${someCode.slice(2)}`, `VVM${someCode.slice(2)}`],
    ['a letter that no code has', undashed.replace('7', 'u'), undashed.replace('7', 'U')],
    ['a code with a sign inside', someCode.replace('Q', '!'), someCode.replace('Q', '!')],
  ])('%s', (_, typed, answer) => {
    expect(normalizeCode(typed)).toBe(answer);
  });

  test('normalizing an issued code twice does not change it', () => {
    expect(normalizeCode(normalizeCode(zerosAndOnes.toLowerCase()))).toBe(zerosAndOnes);
  });
});
