import { describe, expect, test } from 'bun:test';
import { releaseSlots } from '../../../../src/application/booking/release-slots.ts';
import type { Streams } from '../../../../src/application/streams.ts';
import type { AllotmentCommand } from '../../../../src/domain/allotment/commands.ts';
import type { Position } from '../../../../src/eventsourcing/message.ts';
import { allotment, claimId } from '../../../support/examples.ts';
import { SOME_CAUSE } from '../../../support/recorded.ts';

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

/** Allotments with scripted replies, and the commands they received. */
function allotments(replies: readonly Reply[]) {
  const sent: (readonly [string, AllotmentCommand, number])[] = [];
  const never = (): never => {
    throw new Error('nobody asks this');
  };
  const handle: Streams['allotments']['handle'] = async (id, command, _cause, deadlineMs) => {
    sent.push([id, command, deadlineMs]);
    return replies[sent.length - 1] ?? never();
  };
  return { sent, streams: { allotments: { categories: ['allotment'], handle, read: never, peek: never } } };
}

function accepted(position: number | null): Reply {
  const state = { status: 'unopened' } as const;
  return { kind: 'accepted', events: [], state, revision: 0, position: position as Position | null };
}

describe('claims that a booking dropped or shrank', () => {
  test('are released with the reaper’s commands, and the last position is returned', async () => {
    const { sent, streams } = allotments([accepted(5), accepted(9), accepted(7)]);
    const position = await releaseSlots(GIVEN_UP, SOME_CAUSE, 1_000, streams);
    expect<number | null>(position).toBe(9);
    expect<readonly unknown[]>(sent).toEqual([
      [FIRST, { type: 'ReleaseSlots', claimId: 'a' }, 1_000],
      [SECOND, { type: 'ReleaseSlots', claimId: 'b' }, 1_000],
      [SECOND, { type: 'ShrinkClaim', claimId: 'c', left: 3, version: 7 }, 1_000],
    ]);
  });

  test('are left to the reaper if an allotment is unavailable', async () => {
    const away: Reply = { kind: 'unavailable', reason: 'deadline', cause: { call: 'ask' } };
    const { streams } = allotments([away, accepted(null), away]);
    expect(await releaseSlots(GIVEN_UP, SOME_CAUSE, 1_000, streams)).toBeNull();
  });
});
