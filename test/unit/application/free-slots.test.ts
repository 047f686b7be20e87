import { describe, expect, test } from 'bun:test';
import { freeSlotsOf } from '../../../src/application/free-slots.ts';
import type { Streams } from '../../../src/application/streams.ts';
import type { AllotmentCommand } from '../../../src/domain/allotment/allotment.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { allotment, claimId } from '../../support/examples.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';

type Reply = Awaited<ReturnType<Streams['allotments']['handle']>>;

const [FIRST, SECOND] = [allotment('river-walk-2026-11-22'), allotment('river-walk-2026-11-25')];
const GIVEN_UP = {
  dropped: [
    { allotment: FIRST, id: claimId('a'), size: 2 },
    { allotment: SECOND, id: claimId('b'), size: 1 },
  ],
  shrunk: [{ allotment: SECOND, id: claimId('c'), size: 3 }],
  version: 7,
};

/** Allotments that answer what the test says, and what they were told. */
function allotments(replies: readonly Reply[]) {
  const told: (readonly [string, AllotmentCommand, number])[] = [];
  const never = (): never => {
    throw new Error('nobody asks this');
  };
  const handle: Streams['allotments']['handle'] = async (id, command, _cause, deadlineMs) => {
    told.push([id, command, deadlineMs]);
    return replies[told.length - 1] ?? never();
  };
  return { told, streams: { allotments: { category: 'allotment', handle, read: never, peek: never } } };
}

function accepted(position: string | null): Reply {
  const state = { status: 'unopened' } as const;
  return { kind: 'accepted', events: [], state, revision: 0, position: position as Position | null };
}

describe('what a booking gave up', () => {
  test('is freed by the commands of the reaper, and the last of the releases is told', async () => {
    const { told, streams } = allotments([accepted('05'), accepted('09'), accepted('07')]);
    const position = await freeSlotsOf(GIVEN_UP, SOME_CAUSE, 1_000, streams);
    expect<string | null>(position).toBe('09');
    expect<readonly unknown[]>(told).toEqual([
      [FIRST, { type: 'ReleaseSlots', claim: 'a' }, 1_000],
      [SECOND, { type: 'ReleaseSlots', claim: 'b' }, 1_000],
      [SECOND, { type: 'ShrinkClaim', claim: 'c', left: 3, version: 7 }, 1_000],
    ]);
  });

  test('is left to the reaper where it cannot be freed now, and nobody minds', async () => {
    const away: Reply = { kind: 'unavailable', reason: 'deadline' };
    const { streams } = allotments([away, accepted(null), away]);
    expect(await freeSlotsOf(GIVEN_UP, SOME_CAUSE, 1_000, streams)).toBeNull();
  });
});
