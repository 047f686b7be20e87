import { describe, expect, test } from 'bun:test';
import type { SupplyFile, SupplyFiles } from '../../../src/ports/supply-source.ts';
import { EXCHANGE_RATES_FILE } from '../../../src/supply/exchange-rates-file.ts';
import { readSupply, type SoundSupply, type SupplyReading } from '../../../src/supply/supply.ts';
import { changed, changedIn, PHUKET, TEXT } from './small-catalogue.ts';

const RATES = { name: 'rates.json', text: await Bun.file(EXCHANGE_RATES_FILE).text() };
const PHUKET_FILE: SupplyFile = { name: 'phuket.json', text: PHUKET };
const BROKEN = '{';

/** Files by name, sorted. */
function files(catalogue: Readonly<Record<string, string>>, exchangeRates: SupplyFile = RATES): SupplyFiles {
  const entries = Object.entries(catalogue).map(([name, text]) => ({ name, text }));
  return { place: '/catalogue', catalogue: entries, exchangeRates };
}

async function sound(of: SupplyFiles): Promise<SoundSupply> {
  const reading = await readSupply(of, null);
  if (reading.sound === null) throw new Error('the files have faults');
  return reading.sound;
}

/** The activities with their prices, and the files with faults. */
function summaryOf({ sound: read, faults }: SupplyReading): object {
  const prices = read?.supply.activities.map(({ id, priceMinor }) => [id, priceMinor] as const);
  return { prices: prices && Object.fromEntries(prices), faulty: [...new Set(faults.map(({ file }) => file))] };
}

const cheaper = changed(['950.25', '800']);
const both = { 'bangkok.json': TEXT, 'phuket.json': PHUKET };
const former = await sound(files(both));
const AS_BEFORE = { 'palace-walk': 95_025, 'park-day': 95_025, 'town-walk': 95_025, 'beach-day': 95_025 };

describe('files without faults', () => {
  test('give one supply', async () => {
    const reading = await readSupply(files(both), null);
    expect(summaryOf(reading)).toEqual({ prices: AS_BEFORE, faulty: [] });
    expect(reading.sound?.files).toEqual(files(both));
    expect(reading.sound?.supply.exchangeRates.microUnitsPerUsd.USD).toBe(1_000_000);
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
    expect(reading.sound?.files.catalogue).toEqual([{ name: 'bangkok.json', text: cheaper }, PHUKET_FILE]);
  });

  test('gives no supply if there is no previous one', async () => {
    const { sound: nothing, faults } = await readSupply(files({ ...both, 'phuket.json': BROKEN }), null);
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
    expect(reading.sound?.files).toEqual(former.files);
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
  expect(reading.sound?.supply.exchangeRates).toEqual(former.supply.exchangeRates);
  expect(reading.sound?.files.exchangeRates).toEqual(RATES);
  expect((await readSupply(files(both, wrong), null)).sound).toBeNull();
});
