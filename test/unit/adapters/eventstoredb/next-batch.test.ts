import { describe, expect, test } from 'bun:test';
import { nextBatch } from '../../../../src/adapters/eventstoredb/next-batch.ts';
import type { Message } from '../../../../src/adapters/eventstoredb/server-subscription.ts';
import { type Position, START } from '../../../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../../../src/ports/event-store.ts';
import { SOME_CAUSE } from '../../../support/recorded.ts';

const at = (place: number): Position => place as Position;

function eventAt(place: number): StoredEvent {
  return {
    id: `id-${place}`,
    type: 'Happened.v1',
    data: {},
    cause: SOME_CAUSE,
    stream: 'booking-1',
    revision: place,
    position: at(place),
  };
}

const event = (place: number): Message => ({ kind: 'event', event: eventAt(place) });
const passed = (place: number): Message => ({ kind: 'passed', position: at(place) });
const CAUGHT_UP: Message = { kind: 'caught-up' };
const FELL_BEHIND: Message = { kind: 'fell-behind' };

function gathered(messages: readonly Message[], from: Partial<Parameters<typeof nextBatch>[1]> = {}, maxBatch = 10) {
  const rest = [...messages];
  const batch = nextBatch(
    { take: () => rest.shift() ?? null },
    { upTo: START, headBefore: START, live: false, ...from },
    maxBatch,
  );
  return { ...batch, events: batch.events.map(({ position }) => position), left: rest.length };
}

describe('the next batch', () => {
  test('contains the received events, up to the last event or a later passed position', () => {
    expect(gathered([event(1), event(3)])).toEqual({
      events: [at(1), at(3)],
      upTo: at(3),
      caughtUp: false,
      live: false,
      left: 0,
    });
    expect(gathered([event(1), passed(9)])).toEqual({
      events: [at(1)],
      upTo: at(9),
      caughtUp: false,
      live: false,
      left: 0,
    });
    expect(gathered([], { upTo: at(5) })).toEqual({ events: [], upTo: at(5), caughtUp: false, live: false, left: 0 });
  });

  test('contains at most maxBatch events', () => {
    expect(gathered([event(1), event(2), event(3)], {}, 2)).toMatchObject({
      events: [at(1), at(2)],
      upTo: at(2),
      left: 1,
    });
  });

  test('does not move back for a late position', () => {
    expect(gathered([event(5), passed(3)])).toMatchObject({ events: [at(5)], upTo: at(5) });
  });

  test('omits events that were received before', () => {
    expect(gathered([event(4), event(5), event(5), event(6)], { upTo: at(4) })).toMatchObject({
      events: [at(5), at(6)],
      upTo: at(6),
    });
  });

  test('ends when the server has caught up, at the earlier head of the log if that is later', () => {
    const from = { headBefore: at(7) };
    expect(gathered([event(2), CAUGHT_UP, event(9)], from)).toEqual({
      events: [at(2)],
      upTo: at(7),
      caughtUp: true,
      live: true,
      left: 1,
    });
    expect(gathered([event(8), CAUGHT_UP], from)).toEqual({
      events: [at(8)],
      upTo: at(8),
      caughtUp: true,
      live: true,
      left: 0,
    });
  });

  test('is not live after the server reports that the subscription fell behind', () => {
    expect(gathered([event(2), FELL_BEHIND, event(3)], { live: true })).toMatchObject({
      events: [at(2), at(3)],
      live: false,
    });
  });
});
