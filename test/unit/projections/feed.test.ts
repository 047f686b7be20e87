import { describe, expect, test } from 'bun:test';
import { feedProjection } from '../../../projections/feed/projection.ts';
import { readFeed } from '../../../projections/feed/query.ts';
import { EMBEDDED_POSITIONS } from '../../../src/adapters/sqlite/event-rows.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import { deliveryFacts, publicEventId, replayId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

const facts = deliveryFacts();

describe('the feed', () => {
  test.each(['DeliveryScheduled', 'DeliveryOmitted'] as const)('contains an event after its %s', (type) => {
    givenEvents(feedProjection, recorder()<DeliveryEvent>('delivery-dlv_1', { type, data: facts })).thenDocument(
      facts.eventId,
      { ...facts, position: '0000000000000001' },
    );
  });

  test('keeps the position of a replayed event, and adds no event for a replay alone', () => {
    const record = recorder();
    const replayed: DeliveryEvent = { type: 'ReplayScheduled', data: { ...facts, replay: replayId('rpl_1') } };
    const first = record<DeliveryEvent>('delivery-dlv_1', { type: 'DeliveryOmitted', data: facts });
    const again = record<DeliveryEvent>('delivery-dlv_2', replayed);
    givenEvents(feedProjection, first, again).thenDocument(facts.eventId, { ...facts, position: '0000000000000001' });
    givenEvents(feedProjection, again).thenDocument(facts.eventId, null);
  });

  test('returns events up to the checkpoint only, because later documents may have a gap before them', async () => {
    const documents = [1, 2, 4].map((place) => ({
      ...facts,
      eventId: publicEventId(`evt_${place}`),
      position: EMBEDDED_POSITIONS.format(positionAt(place)),
    }));
    const readModels = {
      positions: EMBEDDED_POSITIONS,
      checkpoint: async () => positionAt(3),
      load: async () => new Map(),
      find: async () => ({ items: documents.map((doc) => ({ id: doc.eventId, doc })), next: null }),
    };
    const query = { keyId: facts.keyId, from: facts.at, after: null, limit: 20 };
    expect(await readFeed(readModels, 'feed.v1.b1', query)).toEqual({
      kind: 'page',
      items: documents.slice(0, 2),
      more: false,
    });
  });
});
