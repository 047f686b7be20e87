import { expect, test } from 'bun:test';
import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openStreams } from '../../../src/application/streams.ts';
import { CODECS, decodeEvent } from '../../../src/domain/codecs.ts';
import { decodedStore } from '../../../src/runtime/decoded-store.ts';
import { createUnknownEvents } from '../../../src/runtime/unknown-events.ts';
import { movedClock } from '../../support/clock.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test('every stream category that takes commands has its codec among those that decode the log', async () => {
  using directory = temporaryDirectory();
  const [clock, ids, log] = [movedClock(), seededIds(), collectedLog()];
  const events = openEventStore(directory.file('events.db'));
  const store = decodedStore(events, { decode: decodeEvent, unknownEvents: createUnknownEvents(log) });
  const streams = openStreams({ store, ids, system: createActorSystem({ clock, log, limits: ACTOR_LIMITS }) });
  const handled = Object.values(streams).flatMap(({ categories }) => categories);
  expect(handled.toSorted()).toEqual(CODECS.map(({ category }) => category).toSorted());
  await events.close();
});
