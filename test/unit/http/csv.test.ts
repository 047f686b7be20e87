import { describe, expect, test } from 'bun:test';
import { csv, ndjson } from '../../../src/http/analytics/csv.ts';

describe('a field of CSV', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    [null, ''],
    [0, '0'],
    [-12.5, '-12.5'],
    ['with, comma', '"with, comma"'],
    ['with "quotes"', '"with ""quotes"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['=1+1', "'=1+1"],
    ['+66 2 123', "'+66 2 123"],
    ['-12', "'-12"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("http://example.com","x")', '"\'=HYPERLINK(""http://example.com"",""x"")"'],
    ['a=1', 'a=1'],
  ])('%j is written %j', (value, written) => {
    expect(csv(['column'], [[value]])).toBe(`column\r\n${written}\r\n`);
  });
});

test('CSV has a header row, and CRLF behind the last row too', () => {
  expect(
    csv(
      ['a', 'b'],
      [
        ['x', 1],
        ['y', null],
      ],
    ),
  ).toBe('a,b\r\nx,1\r\ny,\r\n');
  expect(csv(['a', 'b'], [])).toBe('a,b\r\n');
});

test('NDJSON has one object in each line, whatever stands in its texts', () => {
  expect(ndjson([{ a: 'two\nlines' }, { a: null }])).toBe('{"a":"two\\nlines"}\n{"a":null}\n');
  expect(ndjson([])).toBe('');
});
