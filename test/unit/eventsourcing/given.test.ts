import { describe, expect, test } from 'bun:test';
import { accept, type Decider, reject } from '../../../src/eventsourcing/decider.ts';
import type { ProcessManager } from '../../../src/eventsourcing/process-manager.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import { given, givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

// The test language is itself believed only as far as it is seen to refuse.

type Rang = { readonly type: 'Rang'; readonly data: { readonly by: string } };

const rang = (by: string): Rang => ({ type: 'Rang', data: { by } });

/** A bell that each may ring once, and `nobody` never. */
const bell: Decider<string, readonly string[], Rang, 'nobody rang'> = {
  initial: [],
  decide(by, rung) {
    if (by === 'nobody') return reject('nobody rang');
    return rung.includes(by) ? accept() : accept(rang(by));
  },
  evolve: (rung, event) => [...rung, event.data.by],
};

const forgetful: typeof bell = { ...bell, evolve: (rung) => rung };

const rings: Projection<{ readonly times: number }, Rang> = {
  name: 'rings',
  version: 1,
  categories: ['bell'],
  indexes: [],
  idsOf: (event) => [event.data.by],
  evolve: (doc) => ({ times: (doc?.times ?? 0) + 1 }),
};

const answering: ProcessManager<readonly string[], Rang, string> = {
  name: 'answering',
  categories: ['bell'],
  initial: [],
  react: (open, event) => [...open, event.data.by],
  due: (open, nowMs, { limit }) => (nowMs < 100 ? [] : open.slice(0, limit)),
  done: (open, by) => open.filter((ringer) => ringer !== by),
  drop: (open, by) => open.filter((ringer) => ringer !== by),
  oldestOpen: (open) => (open.length === 0 ? null : positionAt(1)),
};

describe('given a decider', () => {
  test('says what is so', () => {
    given(bell, [])
      .when('Anh')
      .then([rang('Anh')]);
    given(bell, [rang('Anh')])
      .when('Anh')
      .thenNothing();
    given(bell, []).when('nobody').thenRejected('nobody rang');
  });

  test('refuses what is not so', () => {
    expect(() =>
      given(bell, [])
        .when('Anh')
        .then([rang('Bo')]),
    ).toThrow();
    expect(() => given(bell, []).when('Anh').thenNothing()).toThrow();
    expect(() => given(bell, []).when('Anh').thenRejected('nobody rang')).toThrow();
    expect(() => given(bell, []).when('nobody').then([])).toThrow();
  });

  test('refuses a decider that obeys the same command twice', () => {
    expect(() =>
      given(forgetful, [])
        .when('Anh')
        .then([rang('Anh')]),
    ).toThrow();
  });
});

describe('given events and a projection', () => {
  const recorded = recorder();
  const events = [recorded('bell-1', rang('Anh')), recorded('bell-1', rang('Bo')), recorded('bell-1', rang('Anh'))];

  test('says what is so', () => {
    givenEvents(rings, ...events)
      .thenDocument('Anh', { times: 2 })
      .thenDocument('Bo', { times: 1 })
      .thenDocument('Chi', null);
  });

  test('refuses what is not so, and an event that the projection would never be given', () => {
    expect(() => givenEvents(rings, ...events).thenDocument('Anh', { times: 3 })).toThrow();
    expect(() => givenEvents(rings, ...events).thenDocument('Anh', null)).toThrow();
    expect(() => givenEvents(rings, recorded('door-1', rang('Anh')))).toThrow();
  });
});

describe('given events and a process manager', () => {
  const recorded = recorder();
  const events = [recorded('bell-1', rang('Anh')), recorded('bell-1', rang('Bo'))];

  test('says what is so', () => {
    givenEvents(answering, ...events)
      .thenDue(99, [])
      .thenDue(100, ['Anh', 'Bo'])
      .thenDue(100, ['Anh'], 1)
      .thenOldestOpen(positionAt(1))
      .whenDone('Anh', 'Bo')
      .thenDue(100, [])
      .thenOldestOpen(null);
  });

  test('refuses what is not so', () => {
    expect(() => givenEvents(answering, ...events).thenDue(100, ['Bo', 'Anh'])).toThrow();
    expect(() => givenEvents(answering, ...events).thenOldestOpen(null)).toThrow();
  });
});
