import { expect, test } from 'bun:test';
import { verifyWebhook } from '../../../examples/verify-webhook.ts';
import { allTold } from '../../support/deliveries.ts';
import { openReceiver } from '../../support/receiver.ts';
import { openService, withKey } from '../../support/service.ts';

test('a cancellation is sent to receivers with its refund, and its reason in both fields', async () => {
  await using receiver = openReceiver();
  await using own = await openService();
  const { key, webhook_secret: secret } = await own.createKey({
    webhook_url: receiver.url,
    webhook_events: ['booking_cancelled'],
  });
  const { data } = await own.book({}, withKey(key));
  own.clock.advance(60_000);
  const cancel = () => own.post(`/api/b2a/bookings/${data.booking_id}/cancel`, {}, withKey(key));
  await cancel();
  const { headers, body } = await receiver.arrived(1);
  expect<object | null>(verifyWebhook(headers, body, secret, own.clock.nowMs())).toEqual({
    id: headers.get('webhook-id'),
    event: 'booking_cancelled',
    api_version: '2026-11',
    created_at: '2026-11-21T03:01:00.000Z',
    sequence: expect.any(Number),
    data: {
      booking_id: data.booking_id,
      activity_id: 'river-walk',
      cancelled_at: '2026-11-21T03:01:00.000Z',
      reason: 'user_requested',
      cancellation_reason: 'user_requested',
      // Less than 24 hours before the opening half of it is kept.
      refund_status: 'processed',
      refund_amount: 120.5,
      currency: 'THB',
      reference: null,
      metadata: {},
    },
  });
  // A replay sends no webhook.
  await cancel();
  await allTold(own);
  expect(receiver.received).toHaveLength(1);
});
