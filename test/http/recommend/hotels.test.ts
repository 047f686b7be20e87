import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { openDemo } from '../../../src/app/demo.ts';
import { offerOf } from '../../../src/application/booking/booking-offer.ts';
import { EXCHANGE_RATES_FILE, parseExchangeRates } from '../../../src/supply/exchange-rates-file.ts';
import { activityId, date, hotelId } from '../../support/examples.ts';
import { A_WISH, openService, type Service, TOMORROW } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const PIER_HOUSE = hotelId('pier-house');
const FOR_GUESTS =
  'Roof Terrace (en) is for guests of The Pier House only; for a guest call recommend with location.hotel_id ' +
  '"pier-house" and pass its log_id as context_log_id, otherwise choose another activity.';
const WISH = { activityId: 'roof-terrace', date: date(TOMORROW), numAdults: 2, numChildren: 0 };

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

describe("an activity exclusive to a hotel's guests", () => {
  test("is never in its city's inventory", async () => {
    for (const query of ['city=Bangkok', `city=Bangkok&date=${TOMORROW}`, 'city=Bangkok&min_slots=6']) {
      const { inventory } = (await service.inventory(query)).data;
      expect(inventory.map((item) => item.activity_id)).toEqual(['river-walk', 'paper-museum', 'night-market']);
    }
    expect((await service.inventory('city=Bangkok&category=dinner')).refusal.code).toBe('NO_INVENTORY');
  });

  test('requested by its id gives an error that names the hotel', async () => {
    for (const query of ['activity_id=roof-terrace', 'activity_id=roof-terrace&city=Bangkok']) {
      expect((await service.inventory(query)).refusal).toEqual(
        refused(404, 'NO_INVENTORY', FOR_GUESTS, { resolution: 'choose_other', alternatives: [] }),
      );
    }
  });

  test('is neither quoted nor sold without a recommendation for the hotel', async () => {
    const expected = { resolution: 'choose_other', alternatives: [] } as const;
    const unavailable = refused(409, 'ACTIVITY_UNAVAILABLE', FOR_GUESTS, expected);
    expect((await service.book({ activity_id: 'roof-terrace' })).refusal).toEqual(unavailable);
    expect((await service.book({ activity_id: 'roof-terrace', dry_run: true })).refusal).toEqual(unavailable);
  });

  test('is neither quoted nor sold to a guest of another hotel', async () => {
    const offer = await offerOf(
      { ...WISH, mode: 'live', hotelId: hotelId('rail-inn'), hotelRates: true },
      service.node.context,
    );
    expect(offer).toMatchObject({ kind: 'refused', refusal: { code: 'ACTIVITY_UNAVAILABLE', error: FOR_GUESTS } });
  });

  test('gives an error with the hotel id if the node does not know the hotel', async () => {
    const context = { ...service.node.context, hotels: () => new Map() };
    const offer = await offerOf({ ...WISH, mode: 'live', hotelId: null, hotelRates: false }, context);
    const error = FOR_GUESTS.replace('The Pier House', 'pier-house');
    expect(offer).toMatchObject({ kind: 'refused', refusal: { code: 'ACTIVITY_UNAVAILABLE', error } });
  });

  test('is quoted and sold with a recommendation for the hotel', async () => {
    const { data } = await service.recommend({ location: { hotel_id: 'pier-house' } });
    const change = { activity_id: 'roof-terrace', context_log_id: data.context.log_id };
    const pricing = { unit_price: 700, total_guests: 2, subtotal: 1_400, discount: 0, total: 1_400, currency: 'THB' };
    const quote = async () =>
      service.post('/api/b2a/execute_booking', { ...A_WISH, ...change, dry_run: true }, service.key);
    expect((await quote()).data).toMatchObject({ dry_run: true, available: true, available_slots: 6, pricing });
    expect((await service.book(change)).data).toMatchObject({ status: 'confirmed', pricing });
    expect((await quote()).data).toMatchObject({ available_slots: 4 });
  });
});

test('the demo activity is never exclusive to a hotel', async () => {
  const { context } = service.node;
  const own = [...context.catalogue.values()].filter(({ activity }) => activity.exclusiveTo !== null);
  expect(own).toHaveLength(1);
  const catalogue = { get: () => undefined, values: () => own, inGroup: () => own };
  using directory = temporaryDirectory();
  expect(await openDemo(directory.path, { ...context, catalogue })).toBeNull();
});

describe('a node holds in memory', () => {
  test('the hotels of its catalogue, by id', () => {
    const hotel = {
      id: PIER_HOUSE,
      name: 'The Pier House',
      address: '5 Pier Road, Bangkok 10200',
      city: 'Bangkok',
      lat: 13.7505,
      lon: 100.491,
      rates: [{ activityId: activityId('river-walk'), percentOff: 15 }],
    } as const;
    expect([...service.node.context.hotels()]).toEqual([[PIER_HOUSE, hotel]]);
  });

  test('the shipped exchange rates', async () => {
    const shipped = parseExchangeRates(EXCHANGE_RATES_FILE, await Bun.file(EXCHANGE_RATES_FILE).text());
    const { exchangeRates } = service.node.context.supply.status().supply;
    expect(shipped).toEqual({ kind: 'valid', value: exchangeRates });
  });

  test('the exchange rates of EXCHANGE_RATES_FILE', async () => {
    using directory = temporaryDirectory();
    const rates = { THB: '30', VND: '20000', IDR: '10000', MYR: '4', SGD: '1.25', USD: '1' };
    const text = { as_of: '2027-01-31', note: 'Made up, for a test of the setting.', units_per_usd: rates };
    writeFileSync(directory.file('rates.json'), JSON.stringify(text));
    await using own = await openService({ settings: { EXCHANGE_RATES_FILE: directory.file('rates.json') } });
    expect(own.node.context.supply.status().supply.exchangeRates).toEqual({
      asOf: date('2027-01-31'),
      microUnitsPerUsd: {
        THB: 30_000_000,
        VND: 20_000_000_000,
        IDR: 10_000_000_000,
        MYR: 4_000_000,
        SGD: 1_250_000,
        USD: 1_000_000,
      },
    });
  });
});
