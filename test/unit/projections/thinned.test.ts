import { expect, test } from 'bun:test';
import { bookingsProjection } from '../../../projections/bookings/projection.ts';
import { type BookingsQuestion, listBookings } from '../../../projections/bookings/query.ts';
import type { BookingDocument } from '../../../projections/bookings/read-model.ts';
import { servingCollection } from '../../../projections/builds.ts';
import { deliveriesProjection } from '../../../projections/deliveries/projection.ts';
import { type DeliveriesQuestion, listDeliveries } from '../../../projections/deliveries/query.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import type { Cursor, Find, ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { activityId, bookingId, date, keyId, venueId } from '../../support/examples.ts';
import { positionAt } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const KEY = keyId('key_1');
/** More than two answers look at. */
const MANY = 4_200;
const BOOKED_MS = Date.parse('2026-11-01T00:00:00Z');
const ANY: BookingsQuestion = {
  keyId: null,
  city: null,
  activityId: null,
  status: null,
  from: null,
  to: null,
  limit: 20,
  after: null,
};

/** Bookings a second apart: every tenth of another city, only the oldest of a later date. */
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
      chargedMinor: 100_00,
      refundedMinor: 0,
      currency: 'THB',
      voucherCode: null,
      createdAt: new Date(BOOKED_MS + index * 1_000).toISOString(),
      verifiedAt: null,
    }),
  );
  await readModels.commit(
    collection,
    documents.map((doc) => ({ id: doc.bookingId, doc, position: positionAt(1), loaded: null })),
    positionAt(1),
  );
  let looked = 0;
  const counted: Pick<ReadModelStore, 'find'> = {
    async find(name, question) {
      const page = await readModels.find(name, question);
      looked += page.items.length;
      return page;
    },
  };
  return {
    documents,
    /** A page, and how many documents were looked at for it. */
    async list(question: Partial<BookingsQuestion>) {
      looked = 0;
      const page = await listBookings(counted, collection, { ...ANY, ...question });
      return { ...page, looked };
    },
    async [Symbol.asyncDispose]() {
      await readModels.close();
      directory.remove();
    },
  };
}

/** The fields that a list asks for and sorts by, as an index names them. */
async function indexAsked(list: (readModels: Pick<ReadModelStore, 'find'>) => Promise<unknown>): Promise<string[]> {
  const asked: Find[] = [];
  await list({
    async find(_collection, question) {
      asked.push(question);
      return { items: [], next: null };
    },
  });
  const [question] = asked;
  if (question === undefined) throw new Error('nothing was asked');
  return [...Object.keys(question.where ?? {}), question.sort?.field ?? 'id'].sort();
}

/** Every choice of a value or null for each of the fields. */
function choices<Question extends object>(none: Question, values: Partial<Question>): readonly Question[] {
  return Object.entries(values).reduce<readonly Question[]>(
    (questions, [name, value]) => questions.flatMap((question) => [question, { ...question, [name]: value }]),
    [none],
  );
}

test('a list with hardly a match looks at a bounded number of bookings, and its cursor leads to the match', async () => {
  await using all = await scene();
  const question = { from: date('2026-12-20'), to: date('2026-12-31') };
  const pages = [];
  let after: Cursor | null = null;
  do {
    const page = await all.list({ ...question, after });
    pages.push([page.items.map((booking) => String(booking.bookingId)), page.looked <= 2_500]);
    after = page.next;
  } while (after !== null);
  expect(pages).toStrictEqual([
    [[], true],
    [[], true],
    [['bk_00000'], true],
  ]);
});

test('its pages together hold every match once, the newest first', async () => {
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

test('the event loop turns between two reads of one answer', async () => {
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

test('of bookings in a state that none is in, none is looked at', async () => {
  await using all = await scene();
  expect(await all.list({ status: 'rejected' })).toEqual({ items: [], next: null, looked: 0 });
  expect(await all.list({ status: 'rejected', keyId: KEY })).toEqual({ items: [], next: null, looked: 0 });
});

test.each(
  choices<BookingsQuestion>(ANY, {
    keyId: KEY,
    city: 'Hanoi',
    activityId: activityId('walk'),
    status: 'rejected',
    from: date('2026-12-01'),
  }),
)('bookings are found by an index: %j', async (question) => {
  const indexes = bookingsProjection.indexes.map((index) => index.toSorted());
  expect(indexes).toContainEqual(
    await indexAsked((readModels) => listBookings(readModels, 'bookings.v2.b1', question)),
  );
});

const DELIVERIES: DeliveriesQuestion = {
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
  choices<DeliveriesQuestion>(DELIVERIES, {
    status: 'failed',
    event: 'booking_confirmed',
    bookingId: bookingId('bk_00001'),
  }),
)('deliveries are found by an index: %j', async (question) => {
  const indexes = deliveriesProjection.indexes.map((index) => index.toSorted());
  const asked = await indexAsked((readModels) => listDeliveries(readModels, 'deliveries.v1.b1', question));
  expect(indexes).toContainEqual(asked);
});
