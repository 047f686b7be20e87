import { describe, test } from 'bun:test';
import { deliveriesProjection } from '../../../projections/deliveries/projection.ts';
import type { DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import { deliveryId, keyId, publicEventId, testFacts } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const ATTEMPTED = { attempt: 2, keyRevision: 0, endpointId: null, responseTimeMs: 12, at: '2026-11-21T03:00:05.000Z' };

describe('a delivery whose first event has expired', () => {
  test.each<[DeliveryEvent]>([
    [{ type: 'AttemptFailed', data: { ...ATTEMPTED, responseCode: 500, error: 'status 500', nextAttemptAtMs: null } }],
    [{ type: 'DeliverySucceeded', data: { ...ATTEMPTED, responseCode: 200 } }],
    [{ type: 'DeliveryExhausted', data: { reason: 'retries_used', at: ATTEMPTED.at } }],
  ])('has no document: %p', (event) => {
    givenEvents(deliveriesProjection, recorder()<DeliveryEvent>('delivery-del_1', event)).thenDocument('del_1', null);
  });
});

test('a test is a delivery with one attempt, which belongs to no booking', () => {
  const tested = recorder()<DeliveryEvent>('delivery-dlv_1', { type: 'TestAttempted', data: testFacts() });
  givenEvents(deliveriesProjection, tested).thenDocument('dlv_1', {
    deliveryId: deliveryId('dlv_1'),
    eventId: publicEventId('evt_1'),
    event: 'booking_confirmed',
    keyId: keyId('key_1'),
    test: { origin: null },
    status: 'failed',
    attempts: [{ at: '2026-11-21T03:00:00.000Z', responseCode: 500, responseTimeMs: 12, error: 'answered 500' }],
    keyRevision: 0,
    nextAttemptAtMs: null,
    exhaustion: null,
    scheduledAt: '2026-11-21T03:00:00.000Z',
  });
});
