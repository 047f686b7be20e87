import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SNAPSHOTS } from '../../../src/application/snapshots.ts';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { A_TAKER, activityId, aSchedule, date, holdId } from '../../support/examples.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { openService, type Service, TOMORROW } from '../../support/service.ts';
import { turnsUntil } from '../../unit/actors/long-scene.ts';

const DATE = allotmentIdOf(activityId('river-walk'), date(TOMORROW));
const STREAM = `allotment-${DATE}`;

/** Holds one slot of the date and releases it, `count` times: two events each. */
async function holdAndRelease(service: Service, count: number): Promise<void> {
  const { allotments } = service.node.context.streams;
  const nowMs = service.clock.nowMs();
  const terms = { size: 1, expiresAtMs: nowMs + 900_000, hotelPercentOff: 0, nowMs };
  const schedule = aSchedule({ activityId: activityId('river-walk'), date: date(TOMORROW), catalogueRevision: 0 });
  for (let at = 0; at < count; at++) {
    const id = holdId(`hold_${String(at).padStart(20, '0')}`);
    const commands = [
      { type: 'HoldSlots', holder: A_TAKER, holdId: id, ...terms, schedule, releasesSeen: at },
      { type: 'ReleaseHold', holdId: id },
    ] as const;
    const replies = commands.map((command) => allotments.handle(DATE, command, SOME_CAUSE, nowMs + 60_000));
    // They share appends; more of them would fill the mailbox.
    if (at % 100 === 99) expect((await Promise.all(replies)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  }
}

/** From now on a read of more than 2,000 events of a stream is not answered within its deadline, as on a slow server. */
function answerSlowly(service: Service): number[] {
  const { store } = service.node.stores;
  const read = store.read.bind(store);
  const sizes: number[] = [];
  store.read = async (...range) => {
    const found = await read(...range);
    if (found.kind === 'events' && found.events.length > 2_000)
      throw new StoreUnavailable('event store', 'no answer from the event store within 10000 ms');
    if (range[0] === STREAM && found.kind === 'events') sizes.push(found.events.length);
    return found;
  };
  return sizes;
}

/** The files of the snapshots, as one text. */
function snapshotBytes({ directory }: Service): string {
  const files = readdirSync(directory).filter((file) => file.startsWith('snapshots.db'));
  return files.map((file) => readFileSync(join(directory, file), 'latin1')).join('\n');
}

describe('a date with 10,000 events of holds and releases', () => {
  test('is sold on a slow event store, with and without its snapshot, and the snapshot names no guest', async () => {
    await using service = await openService();
    const guest = {
      user_name: 'Grace Hopper',
      user_email: 'grace@example.org',
      reference: 'Room 1906',
      metadata: { vip: 'Admiral' },
    };
    const first = await service.book(guest);
    expect(first.status).toBe(200);
    await holdAndRelease(service, 5_000);

    await service.restart();
    await service.node.stores.snapshots.removeBefore(Number.MAX_SAFE_INTEGER);
    const sizes = answerSlowly(service);
    expect((await service.book({ num_adults: 1 })).status).toBe(200);
    expect(sizes.length).toBeGreaterThan(20);
    await turnsUntil(
      async () => (await service.node.stores.snapshots.load(STREAM, SNAPSHOTS.allotment.version)) !== null,
    );
    const bytes = snapshotBytes(service);
    expect(bytes).toInclude(STREAM);
    expect(bytes).toInclude(first.data.booking_id);
    for (const personal of ['Grace', 'Hopper', 'grace@', 'Room 1906', 'Admiral']) expect(bytes).not.toInclude(personal);

    await service.restart();
    const fewer = answerSlowly(service);
    expect((await service.book({ num_adults: 1 })).status).toBe(200);
    expect(fewer.length).toBeLessThanOrEqual(2);
    const state = service.node.context.streams.allotments.peek(DATE);
    if (state === undefined || state.status === 'unopened') throw new Error('the date is not in memory');
    expect(state).toMatchObject({ taken: 4, held: 0 });
  }, 60_000);
});
