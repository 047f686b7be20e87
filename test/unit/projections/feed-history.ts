import { feedProjection } from '../../../projections/feed/projection.ts';
import { readFeed } from '../../../projections/feed/query.ts';
import type { FeedDocument } from '../../../projections/feed/read-model.ts';
import { EMBEDDED_POSITIONS } from '../../../src/adapters/sqlite/event-rows.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { DeliveryEvent, PublicEventId } from '../../../src/domain/delivery/delivery.ts';
import { publicEventIdFrom } from '../../../src/domain/delivery/public-events.ts';
import type { KeyId } from '../../../src/domain/ids.ts';
import { type Position, type Recorded, START } from '../../../src/eventsourcing/message.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import type { Find, StoredDocument } from '../../../src/ports/read-model-store.ts';
import { foldBatch } from '../../../src/runtime/apply-events.ts';
import { modified, withoutFacts } from '../../support/booking-life.ts';
import { bookingId, confirmation, deliveryFacts, keyId } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { recorder } from '../../support/recorded.ts';

/** Each seed is a history of its own; the title of a failed test names it. */
export const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);

type FeedEvent = BookingEvent | DeliveryEvent;
type Reader = { readonly key: KeyId; readonly got: FeedDocument[] };
/** `earlier`: its events are stored by the version before, without their facts. `unrecorded`: not fanned out yet. */
type Booking = {
  readonly stream: string;
  readonly key: KeyId;
  readonly earlier: boolean;
  readonly unrecorded: Recorded<BookingEvent>[];
};

const STEPS = 120;
/** Before every event. */
const KEPT_FROM = '2026-01-01T00:00:00.000Z';
const KEYS = [keyId('key_1'), keyId('key_2')];

/** The feed of the version before: the records of deliveries alone. */
const EARLIER_FEED: Projection<FeedDocument, FeedEvent> = {
  ...feedProjection,
  idsOf: (event) => (event.stream.startsWith('delivery-') ? feedProjection.idsOf(event) : []),
};

/**
 * Bookings of two keys, the records of their deliveries, a projector and readers, in a random order of steps. The first
 * half is of the version before, and each reader goes on with the id that it got there. Then bookings of both versions
 * have events side by side.
 *
 * @returns each reader's documents once everything is recorded and read, and all public events
 */
export async function runHistory(seed: number) {
  const random = seededIds(seed);
  const below = (limit: number): number => ((random.secret(1)[0] ?? 0) * limit) >> 8;
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const record = recorder();
  const log: Recorded<FeedEvent>[] = [];
  const bookings: Booking[] = [];
  const entries: Pick<FeedDocument, 'eventId' | 'keyId'>[] = [];
  const readers: Reader[] = KEYS.flatMap((key) => [
    { key, got: [] },
    { key, got: [] },
  ]);
  let feed = new Feed(EARLIER_FEED);

  const book = (earlier: boolean): void => {
    const id = `bk_${bookings.length}`;
    bookings.push({ stream: `booking-${id}`, key: one(KEYS), earlier, unrecorded: [] });
    announce(bookings.at(-1) as Booking, confirmation);
  };
  const announce = (booking: Booking, eventOf: () => BookingEvent): void => {
    const event = eventOf();
    const facts = { keyId: booking.key, webhookOrigin: null, activityRevision: 0 };
    const stored = booking.earlier
      ? withoutFacts(event)
      : ({ ...event, data: { ...event.data, publicFacts: facts } } as BookingEvent);
    const recorded = record<BookingEvent>(booking.stream, stored);
    log.push(recorded);
    booking.unrecorded.push(recorded);
    entries.push({ eventId: idOf(recorded), keyId: booking.key });
  };
  // The fan-out records the events of a booking in their order, and those of different bookings in any order.
  const fanOut = (): void => {
    const waiting = bookings.filter(({ unrecorded }) => unrecorded.length > 0);
    if (waiting.length === 0) return;
    const { key, stream, earlier, unrecorded } = one(waiting);
    const event = unrecorded.shift() as Recorded<BookingEvent>;
    const heard = below(2) === 0;
    if (!earlier && !heard) return;
    const data = {
      ...deliveryFacts(),
      eventId: idOf(event),
      bookingId: bookingId(stream.slice('booking-'.length)),
      bookingRevision: event.revision,
      keyId: key,
    };
    const type = heard ? 'DeliveryScheduled' : 'DeliveryOmitted';
    log.push(record<DeliveryEvent>(`delivery-${data.eventId}`, { type, data }));
  };
  const poll = async (reader: Reader): Promise<number> => {
    const after = reader.got.at(-1)?.eventId ?? null;
    const page = await readFeed(feed, 'feed', { keyId: reader.key, from: KEPT_FROM, after, limit: 1 + below(3) });
    if (page.kind !== 'page') throw new Error(`${after} is unknown`);
    reader.got.push(...page.items);
    return page.items.length;
  };
  const step = async (withLater: boolean): Promise<void> => {
    const kind = below(8);
    if (kind === 0 || bookings.length === 0) book(!withLater || below(2) === 0);
    else if (kind < 3) announce(one(bookings), () => modified({ changes: {} }));
    else if (kind < 5) fanOut();
    else if (kind === 5) feed.project(log, below);
    else await poll(one(readers));
  };

  for (let steps = 0; steps < STEPS; steps++) await step(false);
  feed = new Feed(feedProjection);
  // A node is ready when its projections have caught up.
  feed.project(log, () => 0);
  for (let steps = 0; steps < STEPS; steps++) await step(true);
  while (bookings.some(({ unrecorded }) => unrecorded.length > 0)) fanOut();
  feed.project(log, () => 0);
  for (const reader of readers) while ((await poll(reader)) > 0);
  return { readers, entries };
}

/** A collection in memory whose projector writes the documents of a batch in any order, and may be interrupted. */
class Feed {
  readonly positions = EMBEDDED_POSITIONS;
  readonly #projection: Projection<FeedDocument, FeedEvent>;
  readonly #documents = new Map<string, StoredDocument>();
  #folded = 0;
  #position = START;

  constructor(projection: Projection<FeedDocument, FeedEvent>) {
    this.#projection = projection;
  }

  /** Projects what is new in the log, or only writes some of its documents: those that `below` does not select. */
  project(log: readonly Recorded<FeedEvent>[], below: (limit: number) => number): void {
    const batch = log.slice(this.#folded);
    const whole = below(2) === 0;
    const writes = foldBatch(this.#projection, batch, this.#documents, this.positions);
    for (const write of writes) if (whole || below(2) === 0) this.#documents.set(write.id, write);
    if (!whole) return;
    this.#folded = log.length;
    this.#position = log.at(-1)?.position ?? START;
  }

  async checkpoint(): Promise<Position> {
    return this.#position;
  }

  async load(_collection: string, ids: readonly string[]) {
    const found = ids.map((id) => [id, this.#documents.get(id)] as const);
    return new Map(found.filter((entry): entry is readonly [string, StoredDocument] => entry[1] !== undefined));
  }

  async find(_collection: string, { where, range, limit, after }: Find) {
    const docs = [...this.#documents.values()].map(({ id, doc }) => ({ id, doc: doc as FeedDocument }));
    const sorted = docs
      .filter(({ doc }) => doc.keyId === where?.['keyId'])
      .filter(({ doc }) => doc.at >= String(range?.from ?? '') && (range?.to === undefined || doc.at < range.to))
      .filter(({ doc }) => after === undefined || doc.position > String(after.value))
      .toSorted((left, right) => (left.doc.position < right.doc.position ? -1 : 1));
    const last = sorted[limit - 1];
    const items = sorted.slice(0, limit);
    return { items, next: sorted.length > limit && last ? { value: last.doc.position, id: last.id } : null };
  }
}

function idOf({ id }: Recorded): PublicEventId {
  return publicEventIdFrom(new Bun.CryptoHasher('sha256').update(id).digest());
}
