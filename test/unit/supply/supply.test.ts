import { describe, expect, test } from 'bun:test';
import type { SupplyFile, SupplyFiles } from '../../../src/ports/supply-source.ts';
import { EXCHANGE_RATES_FILE } from '../../../src/supply/exchange-rates-file.ts';
import { type LoadedSupply, readSupply, type SupplyReading } from '../../../src/supply/supply.ts';
import { changed, changedIn, PHUKET, TEXT } from './small-catalogue.ts';

const RATES = { name: 'rates.json', text: await Bun.file(EXCHANGE_RATES_FILE).text() };
const PHUKET_FILE: SupplyFile = { name: 'phuket.json', text: PHUKET };
const BROKEN = '{';

/** Files by name, sorted. */
function files(catalogue: Readonly<Record<string, string>>, exchangeRates: SupplyFile = RATES): SupplyFiles {
  const entries = Object.entries(catalogue).map(([name, text]) => ({ name, text }));
  return { directory: '/catalogue', catalogue: entries, exchangeRates };
}

async function loaded(of: SupplyFiles): Promise<LoadedSupply> {
  const reading = await readSupply(of, null);
  if (reading.loaded === null) throw new Error('the files have faults');
  return reading.loaded;
}

/** The activities with their prices, and the files with faults. */
function summaryOf({ loaded: read, faults }: SupplyReading): object {
  const prices = read?.supply.activities.map(({ id, priceMinor }) => [id, priceMinor] as const);
  return { prices: prices && Object.fromEntries(prices), faulty: [...new Set(faults.map(({ file }) => file))] };
}

const cheaper = changed(['950.25', '800']);
const both = { 'bangkok.json': TEXT, 'phuket.json': PHUKET };
const former = await loaded(files(both));
const AS_BEFORE = { 'palace-walk': 95_025, 'park-day': 95_025, 'town-walk': 95_025, 'beach-day': 95_025 };

describe('files without faults', () => {
  test('give one supply', async () => {
    const reading = await readSupply(files(both), null);
    expect(summaryOf(reading)).toEqual({ prices: AS_BEFORE, faulty: [] });
    expect(reading.loaded?.files).toEqual(files(both));
    expect(reading.loaded?.supply.exchangeRates.microUnitsPerUsd.USD).toBe(1_000_000);
  });

  test('replace the previous supply', async () => {
    const reading = await readSupply(files({ 'bangkok.json': cheaper }), former);
    expect(summaryOf(reading)).toEqual({ prices: { 'palace-walk': 80_000, 'park-day': 95_025 }, faulty: [] });
  });
});

describe('a file with faults', () => {
  test('keeps its previous version, and the others are updated', async () => {
    const reading = await readSupply(files({ 'bangkok.json': cheaper, 'phuket.json': BROKEN }), former);
    expect(summaryOf(reading)).toEqual({
      prices: { ...AS_BEFORE, 'palace-walk': 80_000 },
      faulty: ['phuket.json'],
    });
    expect(reading.loaded?.files.catalogue).toEqual([{ name: 'bangkok.json', text: cheaper }, PHUKET_FILE]);
  });

  test('gives no supply if there is no previous one', async () => {
    const { loaded: nothing, faults } = await readSupply(files({ ...both, 'phuket.json': BROKEN }), null);
    expect([nothing, faults.length]).toEqual([null, 1]);
  });

  test('that is new adds nothing, and keeps deleted files in use', async () => {
    const reading = await readSupply(files({ 'bangkok.json': cheaper, 'town.json': BROKEN }), former);
    expect(summaryOf(reading)).toEqual({ prices: { ...AS_BEFORE, 'palace-walk': 80_000 }, faulty: ['town.json'] });
  });

  test('blocks the update if the other files conflict with its previous version', async () => {
    // The town walk moves to the Bangkok file, and the file that it leaves is malformed.
    const moved = { 'bangkok.json': changed(['"palace-walk"', '"town-walk"']), 'phuket.json': BROKEN };
    const reading = await readSupply(files(moved), former);
    expect(summaryOf(reading)).toEqual({ prices: AS_BEFORE, faulty: ['phuket.json', '/catalogue'] });
    expect(reading.loaded?.files).toEqual(former.files);
  });
});

test('an empty directory is a fault, and the previous supply stays', async () => {
  const reading = await readSupply(files({}), former);
  expect(summaryOf(reading)).toEqual({ prices: AS_BEFORE, faulty: ['/catalogue'] });
});

test('faulty exchange rates stay unchanged, and the catalogue is updated', async () => {
  const wrong = { name: RATES.name, text: changedIn(RATES.text, ['"USD": "1"', '"USD": "2"']) };
  const reading = await readSupply(files({ 'bangkok.json': cheaper }, wrong), former);
  expect(summaryOf(reading)).toEqual({
    prices: { 'palace-walk': 80_000, 'park-day': 95_025 },
    faulty: ['rates.json'],
  });
  expect(reading.loaded?.supply.exchangeRates).toEqual(former.supply.exchangeRates);
  expect(reading.loaded?.files.exchangeRates).toEqual(RATES);
  expect((await readSupply(files(both, wrong), null)).loaded).toBeNull();
});
