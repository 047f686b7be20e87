import { describe, expect, test } from 'bun:test';
import { EXCHANGE_RATES_FILE, parseExchangeRates } from '../../../src/supply/exchange-rates-file.ts';
import { describeFaults } from '../../../src/supply/json-file.ts';
import { date } from '../../support/examples.ts';

const FILE = 'rates.json';
const TEXT = `{
  "as_of": "2026-10-31",
  "note": "What a newspaper printed on that day.",
  "units_per_usd": {
    "THB": "33.125001",
    "VND": "26400",
    "IDR": "16700.5",
    "MYR": "4.05",
    "SGD": "1.30",
    "USD": "1"
  }
}
`;

function faultsOf(text: string): string[] {
  const reading = parseExchangeRates(FILE, text);
  return reading.kind === 'faults' ? describeFaults(reading.faults).split('\n') : [];
}

function lineOf(snippet: string): number {
  expect(TEXT).toContain(snippet);
  return TEXT.slice(0, TEXT.indexOf(snippet)).split('\n').length;
}

test('a valid file gives its rates in millionths, and their date', () => {
  expect(parseExchangeRates(FILE, TEXT)).toEqual({
    kind: 'valid',
    value: {
      asOf: date('2026-10-31'),
      microUnitsPerUsd: {
        THB: 33_125_001,
        VND: 26_400_000_000,
        IDR: 16_700_500_000,
        MYR: 4_050_000,
        SGD: 1_300_000,
        USD: 1_000_000,
      },
    },
  });
});

describe('a fault is', () => {
  const form = (currency: string): string =>
    `must be a decimal in double quotes, units of ${currency} for one US dollar`;
  const baht = `units_per_usd.THB: ${form('THB')}: from "20" to "60", with at most 6 decimals, not`;
  test.each<readonly [was: string, becomes: string, fault: string, on?: string]>([
    ['"33.125001"', '33.125001', `${baht} 33.125001`],
    ['"33.125001"', '"0"', `${baht} "0"`],
    ['"33.125001"', '"-33"', `${baht} "-33"`],
    ['"33.125001"', '"19.999999"', `${baht} "19.999999"`],
    ['"33.125001"', '"60.000001"', `${baht} "60.000001"`],
    ['"33.125001"', '"33.1250011"', `${baht} "33.1250011"`],
    ['"33.125001"', '"33,1"', `${baht} "33,1"`],
    ['"33.125001"', '"3.3e1"', `${baht} "3.3e1"`],
    ['"33.125001"', '"33."', `${baht} "33."`],
    ['"33.125001"', '" 33"', `${baht} " 33"`],
    ['"33.125001"', 'null', `${baht} null`],
    [
      '"26400"',
      '"0.0000379"',
      `units_per_usd.VND: ${form('VND')}: from "15000" to "50000", with at most 6 decimals, not "0.0000379"`,
    ],
    ['"USD": "1"', '"USD": "1.01"', `units_per_usd.USD: ${form('USD')}: "1", not "1.01"`],
    ['    "MYR": "4.05",\n', '', 'units_per_usd.MYR: is missing; add it', '"units_per_usd"'],
    [
      '"USD": "1"',
      '"EUR": "0.86", "USD": "1"',
      'units_per_usd.EUR: is unknown; the fields here are THB, VND, IDR, MYR, SGD, USD',
    ],
    ['"SGD": "1.30"', '"SGD": "1.30", "SGD": "1.29"', 'units_per_usd.SGD: appears twice in its object; keep one'],
    ['2026-10-31', '2026-11-31', 'as_of: must be a calendar date, "YYYY-MM-DD", not "2026-11-31"'],
    ['"What a newspaper printed on that day."', '""', 'note: must have 20 to 600 characters; it has 0'],
    ['"note"', '"source": "", "note"', 'source: is unknown; the fields here are as_of, note, units_per_usd'],
  ])('%p as %p: %s', (was, becomes, fault, on = was) => {
    expect(TEXT).toContain(was);
    expect(faultsOf(TEXT.replace(was, becomes))).toEqual([`${FILE}:${lineOf(on)} ${fault}`]);
  });

  test('each of several faults, sorted by line', () => {
    const text = TEXT.replace('2026-10-31', 'today').replace('"26400"', '"26,400"').replace('"1.30"', '"13.0"');
    expect(faultsOf(text).map((fault) => fault.split(': ')[0])).toEqual([
      `${FILE}:${lineOf('2026-10-31')} as_of`,
      `${FILE}:${lineOf('"26400"')} units_per_usd.VND`,
      `${FILE}:${lineOf('"1.30"')} units_per_usd.SGD`,
    ]);
  });

  test('malformed JSON', () => {
    expect(faultsOf(TEXT.replace('"26400",', '"26400"'))).toEqual([
      `${FILE}:${lineOf('"IDR"')} is not JSON here: expected "," or "}", found "IDR"`,
    ]);
  });
});

test('both ends of the plausible range are valid', () => {
  expect(faultsOf(TEXT.replace('33.125001', '20').replace('26400', '50000.000000'))).toEqual([]);
});

test('the shipped file is valid', async () => {
  const reading = parseExchangeRates(EXCHANGE_RATES_FILE, await Bun.file(EXCHANGE_RATES_FILE).text());
  expect(reading.kind === 'faults' ? describeFaults(reading.faults) : '').toBe('');
});
