import { expect, test } from 'bun:test';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { systemDigest } from '../../../src/adapters/system/digest.ts';
import { openSupply, readFirstSupply } from '../../../src/app/supply-refresh.ts';
import type { Streams } from '../../../src/application/streams.ts';
import { activityDecider } from '../../../src/domain/activity/decider.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import { movedClock } from '../../support/clock.ts';
import { activityId, anActivity } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';

const ACTIVITIES = 500;
const READINGS = 8;

/** A catalogue of 500 entries, activities that accept every command, and a lease that a test takes away. */
function scene() {
  const activities = Array.from({ length: ACTIVITIES }, (_, index) =>
    anActivity({ id: activityId(`activity-${index}`) }),
  );
  const files = { directory: '/catalogue', catalogue: [], exchangeRates: { name: 'rates.json', text: '' } };
  const rates = { asOf: '2026-11-21', sources: [], perUsd: new Map() };
  const first = {
    take: () => ({
      // The rates are passed on as they are.
      supply: { activities, hotels: new Map(), exchangeRates: rates as never },
      files,
    }),
    source: { read: () => Promise.resolve(files), watch: () => ({ stop: () => {} }) },
  };
  const sent: string[] = [];
  const documents = new Map<string, ActivityDocument>();
  const turns: AbortController[] = [];
  const given = {
    sent,
    turns,
    answered: (): void => {},
    beforeLease: Promise.resolve(),
    beforePassed: Promise.resolve(),
  };
  const handle: Streams['activities']['handle'] = async (id, command) => {
    sent.push(id);
    await Promise.resolve();
    if (command.type !== 'ListActivity') throw new Error(`not expected: ${command.type}`);
    const { activity, digest } = command;
    documents.set(id, { activity, revision: 0, listed: true, updatedAt: '', override: null });
    given.answered();
    const event = { type: 'ActivityListed', data: { activity, digest } } as const;
    const state = activityDecider.evolve(activityDecider.initial, event);
    return { kind: 'accepted', events: [event], state, revision: 0, position: START };
  };
  const log = collectedLog();
  const context = {
    streams: { activities: { categories: ['activity'], handle, read: () => never(), peek: () => undefined } },
    catalogue: {
      get: (id: string) => documents.get(id),
      values: () => documents.values(),
      findBySecondaryKey: () => undefined,
      inGroup: () => [],
      changesIn: () => 0,
      passed: () => given.beforePassed.then(() => true),
      stop: () => Promise.resolve(),
    },
    store: { head: () => Promise.resolve(START), positions: { format: String, parse: never } },
    logWaitMs: 1,
    runExclusively: async <Result>(_: string, work: (lost: AbortSignal) => Promise<Result>) => {
      await given.beforeLease;
      const turn = new AbortController();
      turns.push(turn);
      return work(turn.signal);
    },
    clock: movedClock(),
    ids: seededIds(),
    digest: systemDigest(new Uint8Array(32)),
    log,
  };
  return Object.assign(given, { log, open: () => openSupply(first, 900_000, context) });
}

function never(): never {
  throw new Error('not asked for');
}

test('a start that loses the lease sends no more commands, waits for the lease again and lists the rest', async () => {
  const given = scene();
  const { sent, turns, log } = given;
  let sentAtLoss = 0;
  given.answered = () => {
    if (sent.length < 100 || sentAtLoss > 0) return;
    sentAtLoss = sent.length;
    turns[0]?.abort();
  };
  const supply = await given.open();
  await supply.stop();
  expect([turns.length, new Set(sent).size, sent.length]).toEqual([2, ACTIVITIES, ACTIVITIES]);
  const left = ACTIVITIES - sentAtLoss;
  const facts = { activities: ACTIVITIES, commands: left, listed: left, retired: 0 };
  expect(log.lines).toEqual([{ level: 'info', happening: 'catalogue loaded', facts }]);
});

test.each([
  ['lease', 'the lease "catalogue", which another node holds'],
  ['read model', 'the read model "activities" to reach the position 0 of the log'],
] as const)('a start that waits for a %s says so until it has it', async (what, waitsFor) => {
  const given = scene();
  const held = Promise.withResolvers<void>();
  if (what === 'lease') given.beforeLease = held.promise;
  else given.beforePassed = held.promise;
  const opening = given.open();
  const waits = () => given.log.lines.filter(({ happening }) => happening === 'catalogue waits');
  while (waits().length < 2) await new Promise(setImmediate);
  expect(waits()[0]).toEqual({ level: 'warn', happening: 'catalogue waits', facts: { waitsFor, seconds: 0 } });
  held.resolve();
  await (await opening).stop();
  const ended = given.log.lines.length;
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(given.log.lines).toHaveLength(ended);
});

test('the first supply is handed over: who keeps its reader keeps no second copy of the catalogue', async () => {
  const files = { catalogueDirectory: null, exchangeRatesFile: null };
  const readers = [];
  const taken: WeakRef<object>[] = [];
  for (let times = 0; times < READINGS; times++) {
    const first = await readFirstSupply(files, collectedLog());
    const { supply } = first.take();
    expect(supply.activities.length).toBeGreaterThan(100);
    taken.push(new WeakRef(supply.activities));
    readers.push(first);
  }
  // A WeakRef keeps its target until the turn of the event loop ends.
  await new Promise(setImmediate);
  Bun.gc(true);
  const held = taken.filter((supply) => supply.deref() !== undefined);
  // The collector scans the stack conservatively, so an address left there can keep the last ones.
  expect(held.length).toBeLessThan(READINGS / 2);
  for (const first of readers) expect(() => first.take()).toThrow('the first supply was taken before');
});
