import { describe, expect, spyOn, test } from 'bun:test';
import { feedProjection } from '../../../projections/feed/projection.ts';
import { readFeed } from '../../../projections/feed/query.ts';
import { EMBEDDED_POSITIONS } from '../../../src/adapters/sqlite/event-rows.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { DeliveryEvent, PublicEventId } from '../../../src/domain/delivery/delivery.ts';
import { publicEventIdFrom } from '../../../src/domain/delivery/public-events.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { cancelled, withoutFacts } from '../../support/booking-life.ts';
import { confirmation, deliveryFacts, keyId, publicEventId, replayId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { runHistory, SEEDS } from './feed-history.ts';

const facts = deliveryFacts();

function idOf({ id }: Recorded): PublicEventId {
  return publicEventIdFrom(new Bun.CryptoHasher('sha256').update(id).digest());
}

describe('the feed', () => {
  test.each([
    ['booking-bk_1', null, { kind: 'key' }],
    ['bookingtest-tbk_1', 'https://agent.example/hook?token=1', { kind: 'booking', origin: 'https://agent.example' }],
  ] as const)('contains a public event of %s', (stream, webhookUrl, endpoint) => {
    const event = recorder()<BookingEvent>(stream, confirmation({ webhookUrl }));
    givenEvents(feedProjection, event).thenDocument(idOf(event), {
      eventId: idOf(event),
      event: 'booking_confirmed',
      bookingId: facts.bookingId.replace('bk_1', stream.slice(stream.indexOf('-') + 1)) as typeof facts.bookingId,
      bookingRevision: 0,
      keyId: keyId('key_1'),
      endpoint,
      activityRevision: 4,
      at: event.cause.at,
      position: '0000000000000001',
    });
  });

  test('contains an event once, at its own place, though it is delivered too', () => {
    const record = recorder();
    const event = record<BookingEvent>('booking-bk_1', confirmation());
    const data = { ...facts, eventId: idOf(event), at: '2026-11-21T03:00:09.000Z' };
    const scheduled = record<DeliveryEvent>('delivery-dlv_1', { type: 'DeliveryScheduled', data });
    const alone = feedProjection.evolve(null, event, idOf(event), EMBEDDED_POSITIONS.format);
    givenEvents(feedProjection, event, scheduled).thenDocument(idOf(event), alone);
  });

  test.each(['DeliveryScheduled', 'DeliveryOmitted'] as const)(
    'contains an event of an earlier version after its %s',
    (type) => {
      const record = recorder();
      const event = record<BookingEvent>('booking-bk_1', withoutFacts(confirmation()));
      const data = { ...facts, eventId: idOf(event) };
      givenEvents(feedProjection, event).thenDocument(idOf(event), null);
      givenEvents(feedProjection, event, record<DeliveryEvent>('delivery-dlv_1', { type, data })).thenDocument(
        idOf(event),
        { ...data, position: '0000000000000002' },
      );
    },
  );

  test('keeps the position of a replayed event, and adds no event for a replay alone', () => {
    const record = recorder();
    const replayed: DeliveryEvent = { type: 'ReplayScheduled', data: { ...facts, replay: replayId('rpl_1') } };
    const first = record<DeliveryEvent>('delivery-dlv_1', { type: 'DeliveryOmitted', data: facts });
    const again = record<DeliveryEvent>('delivery-dlv_2', replayed);
    givenEvents(feedProjection, first, again).thenDocument(facts.eventId, { ...facts, position: '0000000000000001' });
    givenEvents(feedProjection, again).thenDocument(facts.eventId, null);
  });

  test('contains no event of a booking that is not public', () => {
    const record = recorder();
    const erased = record<BookingEvent>('booking-bk_1', {
      type: 'GuestErased',
      data: { records: [], by: 'operator', at: facts.at },
    });
    expect(feedProjection.idsOf(erased)).toEqual([]);
    expect(feedProjection.idsOf(record<BookingEvent>('booking-bk_1', cancelled()))).toHaveLength(1);
  });

  test('returns events up to the checkpoint only, because later documents may have a gap before them', async () => {
    const documents = [1, 2, 4].map((place) => ({
      ...facts,
      eventId: publicEventId(`evt_${place}`),
      position: EMBEDDED_POSITIONS.format(positionAt(place)),
    }));
    const readModels = {
      positions: EMBEDDED_POSITIONS,
      checkpoint: async () => positionAt(3),
      load: async () => new Map(),
      find: async () => ({ items: documents.map((doc) => ({ id: doc.eventId, doc })), next: null }),
    };
    const query = { keyId: facts.keyId, from: facts.at, after: null, limit: 20 };
    expect(await readFeed(readModels, 'feed.v1.b1', query)).toEqual({
      kind: 'page',
      items: documents.slice(0, 2),
      more: false,
    });
  });
});

describe('a feed with events that are not kept any more', () => {
  const FROM = '2026-11-01T00:00:00.000Z';
  /** The time of each event, in log order: the third is late, by less than a day. */
  const TIMES = ['2026-01-01', '2026-10-30', '2026-11-01', '2026-10-31', '2026-11-02'].map(
    (day) => `${day}T01:00:00.000Z`,
  );
  const documents = TIMES.map((at, place) => ({
    ...facts,
    at,
    eventId: publicEventId(`evt_${place}`),
    position: EMBEDDED_POSITIONS.format(positionAt(place + 1)),
  }));

  async function filled(): Promise<ReadModelStore> {
    const store = openReadModelStore(':memory:');
    await store.ensure('feed', feedProjection.indexes);
    const writes = documents.map((doc) => ({ id: doc.eventId, doc, position: positionAt(5), loaded: null }));
    await store.commit('feed', writes, positionAt(5));
    return store;
  }

  test.each([
    ['the first page', null],
    ['the page after one of them', publicEventId('evt_0')],
  ])('%s begins behind them, and has every kept event', async (_, after) => {
    const store = await filled();
    using find = spyOn(store, 'find');
    const page = await readFeed(store, 'feed', { keyId: facts.keyId, from: FROM, after, limit: 20 });
    expect(page).toEqual({ kind: 'page', items: documents.filter(({ at }) => at >= FROM), more: false });
    expect(find.mock.lastCall?.[1].after).toEqual({ value: '0000000000000002', id: 'evt_1' });
    await store.close();
  });

  test('is read on from a kept event with one query', async () => {
    const store = await filled();
    using find = spyOn(store, 'find');
    const after = publicEventId('evt_2');
    const page = await readFeed(store, 'feed', { keyId: facts.keyId, from: FROM, after, limit: 20 });
    expect(page).toEqual({ kind: 'page', items: documents.slice(4), more: false });
    expect(find).toHaveBeenCalledTimes(1);
    await store.close();
  });
});

describe('a reader that polls while events are stored, recorded and projected', () => {
  test.each(SEEDS)('gets each event of its key once, a booking’s in order (seed %d)', async (seed) => {
    const { readers, entries } = await runHistory(seed);
    for (const { key, got } of readers) {
      const expected = entries.filter((entry) => entry.keyId === key);
      expect(got.map(({ eventId }) => eventId).toSorted()).toEqual(expected.map(({ eventId }) => eventId).toSorted());
      for (const [, events] of Map.groupBy(got, ({ bookingId }) => bookingId)) {
        const revisions = events.map(({ bookingRevision }) => bookingRevision);
        expect(revisions).toEqual(revisions.toSorted((one, other) => one - other));
      }
    }
    expect(entries.length).toBeGreaterThan(10);
  });
});
