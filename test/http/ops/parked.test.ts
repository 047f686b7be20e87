import { describe, expect, test } from 'bun:test';
import { bookingsProjection } from '../../../projections/bookings/projection.ts';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import { bookingCodec } from '../../../src/domain/booking/events.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { reapClaims } from '../../../src/processes/reap-claims/process-manager.ts';
import { projected } from '../../support/log-of-service.ts';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Parked = AnswerOf<'get /api/ops/readers/parked'>;

const CAUSE = { correlationId: 'other', causationId: null, by: 'other', at: '2026-11-21T02:00:00.000Z' };
const CONFIRMED = `BookingConfirmed.v${bookingCodec.versions['BookingConfirmed']}`;
/** The readers that fold BookingConfirmed and cannot fold it without its facts. */
const REAPER = 'claim-reaper';

/** Another program appends an event like Waymark's, with other data. */
async function poison(service: Service, data: object = {}, id = crypto.randomUUID(), stream = 'booking-0') {
  const { store } = service.node.stores;
  const last = await store.last(stream);
  await store.append(stream, last?.revision ?? -1, [{ id, type: CONFIRMED, data, cause: CAUSE }]);
  return id;
}

async function list(service: Service): Promise<Parked['items']> {
  return (await service.get<Parked>('/api/ops/readers/parked', service.analyst)).data.items;
}

/** The parked items, once the projections and the reaper have reached the end of the log. */
async function parked(service: Service, count = 1): Promise<Parked['items']> {
  await projected(service);
  for (;;) {
    const items = await list(service);
    if (items.filter(({ reader }) => reader === REAPER).length >= count) return items;
    await new Promise(setImmediate);
  }
}

const decide = (service: Service, action: 'retry' | 'skip', reader: string, item: string) =>
  service.post<AnswerOf<'post /api/ops/readers/:reader/retry'>>(
    `/api/ops/readers/${reader}/${action}`,
    { item, reason: 'another program wrote it', operator: 'mai' },
    service.admin,
  );

describe('an event that readers cannot apply', () => {
  test('is parked, and the service goes on, also after a restart', async () => {
    await using service = await openService();
    const id = await poison(service);
    const booked = await service.book();
    const before = await parked(service);
    const item = before.find(({ reader }) => reader === REAPER);
    expect(item).toEqual({
      reader: REAPER,
      item: id,
      kind: 'event',
      status: 'parked',
      event: { stream: 'booking-0', revision: 0, type: CONFIRMED, position: expect.any(String) as never },
      fault: expect.stringContaining('TypeError') as never,
      parked_at: '2026-11-21T03:00:00.000Z',
      decision: null,
    });
    const listed = await service.documents('bookings');
    expect(listed.map(({ id: booking }) => booking)).toContain(booked.data.booking_id);

    await service.restart();
    const again = await service.book();
    expect((await service.documents('bookings')).map(({ id: booking }) => booking)).toContain(again.data.booking_id);
    expect(await parked(service)).toEqual(before);
    const ready = (await service.get<AnswerOf<'get /readyz'>>('/readyz')).data;
    expect(ready.status).toBe('ready');
    expect(ready.parked).toContainEqual(item as never);
    expect(ready.parked_total).toBe(before.length);
  });

  test('is left out by a rebuild too: both builds are equal', async () => {
    await using service = await openService();
    await poison(service);
    await service.book();
    await parked(service);
    for (const projection of ['bookings', 'conversions', 'statements', 'visits'])
      expect(await service.rebuild(projection)).toMatchObject({ kind: 'rebuilt', differences: 0 });
  });

  test('is skipped by an operator, whose name and reason the log keeps; then no reader shows it', async () => {
    await using service = await openService();
    const id = await poison(service);
    for (const { reader } of await parked(service))
      expect((await decide(service, 'skip', reader, id)).status).toBe(200);
    const skipped = (await service.events()).filter(({ type }) => type === 'ParkedSkipped.v1');
    expect(skipped.find(({ stream }) => stream === `reader-${REAPER}`)).toMatchObject({
      data: { item: id, by: 'mai', reason: 'another program wrote it', at: '2026-11-21T03:00:00.000Z' },
      cause: { by: 'admin' },
    });
    expect(new Set((await list(service)).map(({ status }) => status))).toEqual(new Set(['skipped']));
    while ((await service.get<AnswerOf<'get /readyz'>>('/readyz')).data.parked !== undefined)
      await new Promise(setImmediate);
    await service.restart();
    await service.book();
    expect((await parked(service)).every(({ status }) => status === 'skipped')).toBe(true);
  });

  test('since it cannot be decoded is parked by every reader of its category, and the node stays ready', async () => {
    await using service = await openService();
    const { store } = service.node.stores;
    const damaged = { id: crypto.randomUUID(), type: 'BookingConfirmed.v1', data: null as never, cause: CAUSE };
    await store.append('booking-0', -1, [damaged]);
    const booked = await service.book();
    await parked(service);
    await service.restart();
    await projected(service);
    expect((await service.documents('bookings')).map(({ id }) => id)).toContain(booked.data.booking_id);
    expect((await service.get('/readyz')).status).toBe(200);
    const readers = (await list(service)).map(({ reader }) => reader);
    expect(readers).toContain('voucher-mailer');
    expect(readers).toContain(`${bookingsProjection.name}.v${bookingsProjection.version}`);
  });

  test('is parked by the thread of the projections too', async () => {
    await using service = await openService({ settings: { PROJECTOR_THREAD: 'on' } });
    await poison(service);
    const booked = await service.book();
    while (!(await list(service)).some(({ reader }) => reader.startsWith('bookings.'))) await new Promise(setImmediate);
    expect((await service.documents('bookings')).map(({ id }) => id)).toContain(booked.data.booking_id);
    expect(await service.rebuild('bookings')).toMatchObject({ kind: 'rebuilt', differences: 0 });
  });

  test('is refused as unknown if nobody parked it', async () => {
    await using service = await openService();
    expect((await decide(service, 'skip', REAPER, 'nothing')).refusal).toMatchObject({ status: 404 });
    expect((await decide(service, 'retry', 'nobody', 'nothing')).refusal).toMatchObject({ status: 404 });
    expect((await service.post(`/api/ops/readers/${REAPER}/skip`, {}, service.analyst)).refusal?.status).toBe(403);
  });

  test('that is parked for the 101st time stops its reader, until an operator has decided on one', async () => {
    await using service = await openService();
    const ids: string[] = [];
    for (let count = 0; count < 100; count++) ids.push(await poison(service, {}, undefined, `booking-${count}`));
    await parked(service, 100);
    expect((await service.get('/readyz')).status).toBe(200);
    await poison(service, {}, undefined, 'booking-100');
    const refusal = async () => {
      const answer = await service.get('/readyz');
      return answer.status === 200 ? null : answer.refusal;
    };
    while ((await refusal())?.error.includes(REAPER) !== true) await new Promise(setImmediate);
    expect((await refusal())?.details).toContain('100 parked items wait for an operator');
    const full = [...new Set((await list(service)).map(({ reader }) => reader))];
    for (const reader of full) await decide(service, 'skip', reader, ids[0] ?? '');
    while ((await service.get('/readyz')).status !== 200) await new Promise(setImmediate);
  });
});

test('an outage of a store parks nothing', async () => {
  await using service = await openService();
  const { readModels } = service.node.stores;
  const commit = readModels.commit.bind(readModels);
  const faults = [
    new StoreUnavailable('read models', 'the disk is full'),
    new Error('an unexpected fault of the driver'),
  ];
  const booked = await service.book();
  for (const fault of faults) {
    let refused = 0;
    readModels.commit = () => {
      refused++;
      return Promise.reject(fault);
    };
    await service.book();
    while (refused < 5) await new Promise(setImmediate);
  }
  readModels.commit = commit;
  expect((await service.documents('bookings')).map(({ id }) => id)).toContain(booked.data.booking_id);
  expect(await list(service)).toEqual([]);
});

describe('a retried item', () => {
  /** Replaces a fold by one that throws for an id, as in a release with a bug. Returns the repair. */
  function broken<Fold extends object>(fold: Fold, name: keyof Fold, fails: (event: Stored) => boolean) {
    const real = fold[name] as (...given: unknown[]) => unknown;
    const faulty = (...given: readonly unknown[]): unknown => {
      if (given.some((one) => typeof one === 'object' && one !== null && 'stream' in one && fails(one as Stored)))
        throw new TypeError('no such field');
      return real(...given);
    };
    Object.assign(fold, { [name]: faulty });
    return () => void Object.assign(fold, { [name]: real });
  }
  type Stored = { readonly stream: string; readonly type: string };

  test('of a projection is applied by a rebuild, and by the live views, after the repair', async () => {
    const isBooking = ({ type }: Stored): boolean => type === 'BookingConfirmed';
    const isClaim = ({ type }: Stored): boolean => type === 'SlotsClaimed';
    const repairs = [broken(bookingsProjection, 'evolve', isBooking), broken(inventoryProjection, 'evolve', isClaim)];
    await using service = await openService();
    const booked = await service.book();
    const versions = [bookingsProjection, inventoryProjection].map(({ name, version }) => `${name}.v${version}`);
    while (!versions.every((wanted) => service.node.parked().some(({ reader }) => reader === wanted)))
      await new Promise(setImmediate);
    expect((await service.documents('bookings')).map(({ id }) => id)).not.toContain(booked.data.booking_id);
    // From the live view of this node.
    const { allotments } = service.node.context;
    const taken = () => allotments.get('river-walk-2026-11-22')?.taken;
    const before = taken();
    for (const repair of repairs) repair();
    const rebuilds = new Set<string | null>();
    // A later item of the same projection may come during its rebuild, and waits for the next one.
    for (let items = await list(service); items.length > 0; items = await list(service)) {
      const [first] = items;
      if (first === undefined) break;
      const retried = await decide(service, 'retry', first.reader, first.item);
      // The rebuild of another item may have applied it meanwhile.
      if (retried.status === 404) continue;
      expect(retried.data.item).toMatchObject({ status: 'retried', decision: { by: 'mai' } });
      rebuilds.add(retried.data.rebuild);
      // Answers alone never let the rebuild take its turn.
      await new Promise(setImmediate);
    }
    expect(rebuilds.has('started')).toBe(true);
    expect((await service.documents('bookings')).map(({ id }) => id)).toContain(booked.data.booking_id);
    while (taken() === before) await new Promise(setImmediate);
  });

  test('that fails again is parked again', async () => {
    await using service = await openService();
    const id = await poison(service);
    await parked(service);
    await decide(service, 'retry', REAPER, id);
    const again = async () =>
      (await service.events()).filter(({ type, stream }) => type === 'EventParked.v1' && stream === `reader-${REAPER}`);
    while ((await again()).length < 2) await new Promise(setImmediate);
    expect((await list(service)).find(({ reader }) => reader === REAPER)?.status).toBe('parked');
  });

  test('of a process manager is folded in the order of the log, after the repair', async () => {
    await using service = await openService();
    const repair = broken(reapClaims, 'react', ({ type }) => type === 'SlotsHeld');
    const held = await service.post<{ hold_id: string }>(
      '/api/b2a/holds',
      { activity_id: 'river-walk', booking_date: '2026-11-22', num_adults: 2 },
      service.key,
    );
    const [item] = await parked(service);
    const released = async () => (await service.events()).some(({ type }) => type.startsWith('SlotsReleased'));
    repair();
    expect((await decide(service, 'retry', REAPER, item?.item ?? '')).data.rebuild).toBeNull();
    while ((await list(service)).length > 0) await new Promise(setImmediate);
    service.clock.advance(3_600_000);
    while (!(await released())) {
      service.clock.advance(10_000);
      await new Promise(setImmediate);
    }
    expect(held.status).toBe(200);
  });
});
