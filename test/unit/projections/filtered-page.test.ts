import { expect, test } from 'bun:test';
import { bookingsProjection } from '../../../projections/bookings/projection.ts';
import { type BookingsQuery, listBookings } from '../../../projections/bookings/query.ts';
import type { BookingDocument } from '../../../projections/bookings/read-model.ts';
import { deliveriesProjection } from '../../../projections/deliveries/projection.ts';
import { type DeliveriesQuery, listDeliveries } from '../../../projections/deliveries/query.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import type { Cursor, Find, ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { servingCollection } from '../../../src/runtime/builds.ts';
import { activityId, bookingId, claimId, date, fingerprint, keyId, venueId } from '../../support/examples.ts';
import { positionAt } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const KEY = keyId('key_1');
/** More documents than two pages scan. */
const MANY = 4_200;
const BOOKED_MS = Date.parse('2026-11-01T00:00:00Z');
const ANY: BookingsQuery = {
  keyId: null,
  city: null,
  activityId: null,
  venueId: null,
  idStart: null,
  codeStart: null,
  status: null,
  mode: null,
  from: null,
  to: null,
  reference: null,
  limit: 20,
  after: null,
};

/** Bookings one second apart: every tenth has another city, only the oldest has a later date. */
async function scene() {
  const directory = temporaryDirectory();
  const readModels = openReadModelStore(directory.file('read-models.db'));
  const collection = await servingCollection(bookingsProjection, readModels);
  const documents = Array.from(
    { length: MANY },
    (_, index): BookingDocument => ({
      bookingId: bookingId(`bk_${String(index).padStart(5, '0')}`),
      keyId: KEY,
      status: 'confirmed',
      activityId: activityId('walk'),
      venueId: venueId('venue-1'),
      city: index % 10 === 0 ? 'Hanoi' : 'Bangkok',
      date: date(index === 0 ? '2026-12-24' : '2026-12-01'),
      numAdults: 1,
      numChildren: 0,
      shortCode: null,
      chargedMinor: 100_00,
      refundedMinor: 0,
      currency: 'THB',
      reference: null,
      cancelledBy: null,
      modifiedBy: null,
      createdAt: new Date(BOOKED_MS + index * 1_000).toISOString(),
      visit: null,
      voidedVisit: null,
      pricing: { unitPriceMinor: 100_00, discountMinor: 0, currency: 'THB' },
      policy: { freeUntilHours: 24, percentKept: 50 },
      language: 'en',
      webhookUrl: null,
      logId: null,
      voucher: null,
      mailedAt: null,
      mailReason: null,
      rejection: null,
      cancellation: null,
      guest: { record: claimId(`claim-${index}`), fingerprint: fingerprint('guest') },
      guestErased: false,
      hours: null,
      version: 1,
    }),
  );
  await readModels.commit(
    collection,
    documents.map((doc) => ({ id: doc.bookingId, doc, position: positionAt(1), loaded: null })),
    positionAt(1),
  );
  let looked = 0;
  const counted: Pick<ReadModelStore, 'find'> = {
    async find(name, query) {
      const page = await readModels.find(name, query);
      looked += page.items.length;
      return page;
    },
  };
  return {
    documents,
    /** A page, and the number of scanned documents. */
    async list(query: Partial<BookingsQuery>) {
      looked = 0;
      const page = await listBookings(counted, collection, { ...ANY, ...query });
      return { ...page, looked };
    },
    async [Symbol.asyncDispose]() {
      await readModels.close();
      directory.remove();
    },
  };
}

/** The filter and sort fields of a list, in the format of an index. */
async function indexAsked(list: (readModels: Pick<ReadModelStore, 'find'>) => Promise<unknown>): Promise<string[]> {
  const asked: Find[] = [];
  await list({
    async find(_collection, query) {
      asked.push(query);
      return { items: [], next: null };
    },
  });
  const [query] = asked;
  if (query === undefined) throw new Error('nothing was asked');
  return [...Object.keys(query.where ?? {}), query.sort?.field ?? 'id'].sort();
}

/** Every combination of a value or null for each field. */
function choices<Query extends object>(none: Query, values: Partial<Query>): readonly Query[] {
  return Object.entries(values).reduce<readonly Query[]>(
    (queries, [name, value]) => queries.flatMap((query) => [query, { ...query, [name]: value }]),
    [none],
  );
}

test('a list with few matches scans a bounded number of bookings, and its cursor leads to the match', async () => {
  await using all = await scene();
  const query = { from: date('2026-12-20') };
  const pages = [];
  let after: Cursor | null = null;
  do {
    const page = await all.list({ ...query, after });
    pages.push([page.items.map((booking) => String(booking.bookingId)), page.looked <= 2_500]);
    after = page.next;
  } while (after !== null);
  expect(pages).toStrictEqual([
    [[], true],
    [[], true],
    [['bk_00000'], true],
  ]);
});

test('its pages contain every match once, newest first', async () => {
  await using all = await scene();
  const found: string[] = [];
  let after: Cursor | null = null;
  do {
    const page = await all.list({ city: 'Hanoi', after, limit: 33 });
    found.push(...page.items.map((booking) => booking.bookingId));
    after = page.next;
  } while (after !== null);
  const wanted = all.documents.filter(({ city }) => city === 'Hanoi').map((booking) => String(booking.bookingId));
  expect(found).toStrictEqual(wanted.toReversed());
});

test('a list of few dates scans only the bookings of these dates', async () => {
  await using all = await scene();
  const days = { from: date('2026-12-20'), to: date('2026-12-31') };
  const found = { items: all.documents.slice(0, 1), next: null, looked: 1 };
  expect(await all.list(days)).toEqual(found);
  expect(await all.list({ ...days, keyId: KEY })).toEqual(found);
  expect(await all.list({ ...days, city: 'Bangkok' })).toEqual({ items: [], next: null, looked: 1 });
  expect(await all.list({ from: date('2026-12-02'), to: date('2026-12-23') })).toEqual({
    items: [],
    next: null,
    looked: 0,
  });
  expect(await all.list({ from: date('2026-12-31'), to: date('2026-12-20') })).toEqual({
    items: [],
    next: null,
    looked: 0,
  });
});

test('a list of few dates is sorted over all of them, page by page', async () => {
  await using all = await scene();
  const found: string[] = [];
  let after: Cursor | null = null;
  do {
    const page = await all.list({ from: date('2026-12-01'), to: date('2026-12-31'), after, limit: 1_000 });
    found.push(...page.items.map((booking) => booking.bookingId));
    after = page.next;
  } while (after !== null);
  expect(found).toStrictEqual(all.documents.map((booking) => String(booking.bookingId)).toReversed());
});

test('a list of many dates begins at the bookings that can have one of them', async () => {
  await using all = await scene();
  const page = await all.list({ from: date('2025-01-01'), to: date('2026-10-30') });
  expect(page).toEqual({ items: [], next: null, looked: 0 });
});

test('the event loop runs between two reads of one page', async () => {
  await using all = await scene();
  let turns = 0;
  let listing = true;
  const turn = (): void => {
    turns += 1;
    if (listing) setImmediate(turn);
  };
  setImmediate(turn);
  await all.list({ from: date('2026-12-20') });
  listing = false;
  expect(turns).toBeGreaterThanOrEqual(3);
});

test('a filter by a status without bookings scans no documents', async () => {
  await using all = await scene();
  expect(await all.list({ status: 'rejected' })).toEqual({ items: [], next: null, looked: 0 });
  expect(await all.list({ status: 'rejected', keyId: KEY })).toEqual({ items: [], next: null, looked: 0 });
});

test.each(
  choices<BookingsQuery>(ANY, {
    keyId: KEY,
    city: 'Hanoi',
    activityId: activityId('walk'),
    status: 'rejected',
    from: date('2026-12-01'),
    to: date('2026-12-07'),
  }),
)('an index serves the bookings query %j', async (query) => {
  const indexes = bookingsProjection.indexes.map((index) => index.toSorted());
  expect(indexes).toContainEqual(await indexAsked((readModels) => listBookings(readModels, 'bookings.v5.b1', query)));
});

const DELIVERIES: DeliveriesQuery = {
  keyId: KEY,
  status: null,
  event: null,
  bookingId: null,
  from: '2026-09-01T00:00:00.000Z',
  to: null,
  direction: 'desc',
  limit: 20,
  after: null,
};

test.each(
  choices<DeliveriesQuery>(DELIVERIES, {
    status: 'failed',
    event: 'booking_confirmed',
    bookingId: bookingId('bk_00001'),
  }),
)('an index serves the deliveries query %j', async (query) => {
  const indexes = deliveriesProjection.indexes.map((index) => index.toSorted());
  const asked = await indexAsked((readModels) => listDeliveries(readModels, 'deliveries.v1.b1', query));
  expect(indexes).toContainEqual(asked);
});
