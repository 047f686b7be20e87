import { describe, expect, test } from 'bun:test';
import { unavailable } from '../../../src/actors/actor.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { added, type TallyReply, tallies, tallyCodec } from './tally.ts';

/** Accepted with one event; where it stands in the log is looked at elsewhere. */
function accepted(
  command: string,
  amount: number,
  total: number,
  commands: readonly string[],
  revision: number,
): TallyReply {
  const position: never = expect.any(Number) as never;
  return { kind: 'accepted', events: [added({ command, amount })], state: { total, commands }, revision, position };
}

describe('a command to an entity', () => {
  test('is decided, stored, and answered with its events and the state after them', async () => {
    using scene = tallies();
    const reply = await scene.add('a', 3);
    const [stored] = await scene.stored();
    expect(reply).toStrictEqual({
      kind: 'accepted',
      events: [added({ command: 'a', amount: 3 })],
      state: { total: 3, commands: ['a'] },
      revision: 0,
      position: stored?.position ?? null,
    });
    expect(stored).toMatchObject({ ...tallyCodec.encode(added({ command: 'a', amount: 3 })), cause: SOME_CAUSE });
  });

  test('continues from the stored events, whichever node wrote them', async () => {
    using scene = tallies();
    await scene.elsewhere('before', 4);
    expect(await scene.add('a', 3)).toEqual(accepted('a', 3, 7, ['before', 'a'], 1));
  });

  test('that was accepted before is accepted without event and position', async () => {
    using scene = tallies();
    await scene.add('a', 3);
    expect(await scene.add('a', 3)).toStrictEqual({
      kind: 'accepted',
      events: [],
      state: { total: 3, commands: ['a'] },
      revision: 0,
      position: null,
    });
    expect(await scene.stored()).toHaveLength(1);
  });

  test('that is rejected is answered with the reason and the state of the decision', async () => {
    using scene = tallies();
    await scene.add('a', 3);
    expect(await scene.add('b', 8)).toStrictEqual({
      kind: 'rejected',
      rejection: { code: 'TOO_MUCH', room: 7 },
      state: { total: 3, commands: ['a'] },
      revision: 0,
    });
    expect(await scene.stored()).toHaveLength(1);
  });

  test('to another entity is independent', async () => {
    using scene = tallies();
    await scene.add('a', 3);
    const deadlineMs = Number.POSITIVE_INFINITY;
    expect(await scene.tallies.read('2', deadlineMs)).toStrictEqual({
      kind: 'state',
      state: { total: 0, commands: [] },
      revision: -1,
    });
  });

  test('whose decision throws is answered with a fault; the next one finds the stream unchanged', async () => {
    using scene = tallies();
    await scene.add('a', 3);
    expect(await scene.add('b', Number.NaN)).toStrictEqual(
      unavailable('fault', { call: 'ask of tally-1', fault: new Error('not a number') }),
    );
    expect(await scene.add('c', 4)).toEqual(accepted('c', 4, 7, ['a', 'c'], 1));
  });
});

describe('a read', () => {
  test('returns the current state', async () => {
    using scene = tallies();
    expect(await scene.read()).toStrictEqual({ kind: 'state', state: { total: 0, commands: [] }, revision: -1 });
    await scene.add('a', 3);
    expect(await scene.read()).toStrictEqual({ kind: 'state', state: { total: 3, commands: ['a'] }, revision: 0 });
  });

  test('between commands sees the effects of earlier ones only', async () => {
    using scene = tallies(10);
    const replies = await Promise.all([scene.add('a', 3), scene.read(), scene.add('b', 4), scene.read()]);
    expect([replies[1], replies[3]]).toStrictEqual([
      { kind: 'state', state: { total: 3, commands: ['a'] }, revision: 0 },
      { kind: 'state', state: { total: 7, commands: ['a', 'b'] }, revision: 1 },
    ]);
  });
});

describe('a batch of commands', () => {
  test('is one append; every reply carries its own events, state and revision', async () => {
    using scene = tallies(10);
    const replies = await Promise.all([scene.add('a', 1), scene.add('b', 2), scene.add('c', 3)]);
    const positions = (await scene.stored()).map(({ position }) => position);
    expect(replies).toEqual([
      accepted('a', 1, 1, ['a'], 0),
      accepted('b', 2, 3, ['a', 'b'], 1),
      accepted('c', 3, 6, ['a', 'b', 'c'], 2),
    ]);
    // One durable write: every reply has the position of its last event.
    expect(replies.map((reply) => ('position' in reply ? reply.position : null))).toEqual(
      positions.map(() => positions[2] ?? null),
    );
  });

  test('continues after a rejection or a repetition', async () => {
    using scene = tallies(10);
    const replies = await Promise.all([scene.add('a', 4), scene.add('b', 9), scene.add('a', 4), scene.add('c', 6)]);
    const afterFirst = { state: { total: 4, commands: ['a'] }, revision: 0 };
    expect(replies).toEqual([
      accepted('a', 4, 4, ['a'], 0),
      { kind: 'rejected', rejection: { code: 'TOO_MUCH', room: 6 }, ...afterFirst },
      { kind: 'accepted', events: [], ...afterFirst, position: null },
      accepted('c', 6, 10, ['a', 'c'], 1),
    ]);
    expect((await scene.stored()).map(({ data }) => data)).toStrictEqual([
      { command: 'a', amount: 4 },
      { command: 'c', amount: 6 },
    ]);
  });

  test('keeps the cause of each command with its own events', async () => {
    using scene = tallies(10);
    const causes = ['req_a', 'req_b'].map((correlationId) => ({ ...SOME_CAUSE, correlationId }));
    await Promise.all(causes.map((cause) => scene.add(cause.correlationId, 1, { cause })));
    expect((await scene.stored()).map(({ cause }) => cause)).toStrictEqual(causes);
  });

  test('is no larger than the limit of the kind', async () => {
    using scene = tallies(2);
    const replies = await Promise.all(['a', 'b', 'c'].map((command) => scene.add(command, 1)));
    const [a, b, c] = replies.map((reply) => ('position' in reply ? reply.position : null));
    expect([a === b, b === c]).toEqual([true, false]);
  });
});

test('every decision has its own event ids, also the same decision on another node', async () => {
  using scene = tallies(10);
  await Promise.all([scene.add('a', 1), scene.add('b', 1), scene.add('c', 1)]);
  await scene.add('d', 1);
  const ids = (await scene.stored()).map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
});

describe('an erased stream', () => {
  test('answers commands and reads as erased', async () => {
    using scene = tallies();
    await scene.add('a', 1);
    await scene.store.erase('tally-1');
    expect(await scene.add('b', 1)).toStrictEqual({ kind: 'erased' });
    expect(await scene.read()).toStrictEqual({ kind: 'erased' });
    expect(await scene.add('c', 1, { known: 'no-stream' })).toStrictEqual({ kind: 'erased' });
  });

  test('is found erased by the first ask', async () => {
    using scene = tallies();
    await scene.store.erase('tally-1');
    expect(await scene.read()).toStrictEqual({ kind: 'erased' });
  });
});

describe('a peek', () => {
  test('returns the cached state without a read', async () => {
    using scene = tallies();
    await scene.elsewhere('before', 4);
    expect(scene.tallies.peek('1')).toBeUndefined();
    await scene.add('a', 1);
    await scene.elsewhere('after', 1);
    expect(scene.tallies.peek('1')).toStrictEqual({ total: 5, commands: ['before', 'a'] });
  });
});

describe('commands whose events are too large for one append', () => {
  const long = 'x'.repeat(600 * 1024);

  test('are decided one by one', async () => {
    using scene = tallies(8);
    const replies = await Promise.all([scene.add(`a${long}`, 1), scene.add(`b${long}`, 2), scene.add('c', 3)]);
    expect(replies.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await scene.stored()).toHaveLength(3);
  });

  test('are refused at once if one alone is too large, and the others are accepted', async () => {
    using scene = tallies(8);
    const [big, small] = await Promise.all([scene.add(`a${long}${long}`, 1), scene.add('b', 2)]);
    expect(big).toMatchObject({ kind: 'unavailable', reason: 'too-large' });
    expect(small).toEqual(accepted('b', 2, 2, ['b'], 0));
    expect(await scene.add(`a${long}${long}`, 1, { known: 'no-stream' })).toMatchObject({ reason: 'too-large' });
  });
});
