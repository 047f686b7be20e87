import type { DeliveryEvent } from '../../../src/domain/delivery/delivery.ts';
import { bookingId, endpointId, keyId, publicEventId, replayId, resendRequestId } from '../../support/examples.ts';

/** What the golden files of deliveries mean today. */
export const STORED_DELIVERY_EVENTS = {
  'DeliveryScheduled.v1': {
    type: 'DeliveryScheduled',
    data: {
      eventId: publicEventId('evt_3k9v2q1m7x4p8t6w0r5n2c1z'),
      event: 'booking_confirmed',
      bookingId: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      bookingRevision: 0,
      keyId: keyId('key_4c9a1f70b2de'),
      endpoint: { kind: 'booking', origin: 'https://agent.example.com' },
      activityRevision: 2,
      at: '2026-11-21T03:00:00.250Z',
    },
  },
  'AttemptFailed.v1': {
    type: 'AttemptFailed',
    data: {
      attempt: 1,
      keyRevision: 0,
      endpointId: null,
      responseTimeMs: 184,
      at: '2026-11-21T03:00:00.500Z',
      responseCode: 503,
      error: 'answered 503',
      nextAttemptAtMs: 1_795_230_005_500,
    },
  },
  'AttemptFailed.v2': {
    type: 'AttemptFailed',
    data: {
      attempt: 1,
      keyRevision: 0,
      endpointId: endpointId('ep_2m7x0k4q9w1t6c8r3z5v0n7d'),
      responseTimeMs: 184,
      at: '2026-11-21T03:00:00.500Z',
      responseCode: 503,
      error: 'answered 503',
      nextAttemptAtMs: 1795230005500,
    },
  },
  'DeliverySucceeded.v1': {
    type: 'DeliverySucceeded',
    data: {
      attempt: 2,
      keyRevision: 3,
      endpointId: null,
      responseTimeMs: 91,
      at: '2026-11-21T03:00:05.600Z',
      responseCode: 200,
    },
  },
  'DeliverySucceeded.v2': {
    type: 'DeliverySucceeded',
    data: {
      attempt: 2,
      keyRevision: 3,
      endpointId: endpointId('ep_2m7x0k4q9w1t6c8r3z5v0n7d'),
      responseTimeMs: 91,
      at: '2026-11-21T03:00:05.600Z',
      responseCode: 200,
    },
  },
  'DeliveryExhausted.v1': {
    type: 'DeliveryExhausted',
    data: { reason: 'no_webhook_url', at: '2026-11-21T03:00:05.600Z' },
  },
  'DeliveryOmitted.v1': {
    type: 'DeliveryOmitted',
    data: {
      eventId: publicEventId('evt_0w5n8r2c6x1v4z7k3m9t6q8d'),
      event: 'qr_verified',
      bookingId: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      bookingRevision: 4,
      keyId: keyId('key_4c9a1f70b2de'),
      endpoint: { kind: 'key' },
      activityRevision: 2,
      at: '2026-11-21T13:02:11.480Z',
    },
  },
  'ReplayScheduled.v1': {
    type: 'ReplayScheduled',
    data: {
      eventId: publicEventId('evt_0w5n8r2c6x1v4z7k3m9t6q8d'),
      event: 'qr_verified',
      bookingId: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      bookingRevision: 4,
      keyId: keyId('key_4c9a1f70b2de'),
      endpoint: { kind: 'key' },
      activityRevision: 2,
      at: '2026-11-23T08:30:00.000Z',
      replay: replayId('rpl_5t0w2m8x4k9c1v7q3z6r0d5n'),
    },
  },
  'ResendRequested.v1': {
    type: 'ResendRequested',
    data: {
      attempt: 7,
      keyId: keyId('key_4c9a1f70b2de'),
      endpoint: { kind: 'key' },
      request: resendRequestId('req_6d1q8r3z0v5k2x7m9c4w1t8p'),
      at: '2026-11-22T09:00:00.000Z',
    },
  },
  'TestAttempted.v1': {
    type: 'TestAttempted',
    data: {
      eventId: publicEventId('evt_9t3k7w0c5m2x8q6z1r4v0n7d'),
      event: 'qr_verified',
      keyId: keyId('key_06gzznzez9qfdm3bzqmg'),
      keyRevision: 3,
      origin: 'https://staging.agent.example:8443',
      responseCode: null,
      responseTimeMs: 30_000,
      error: 'no answer within 30 s',
      sentAt: '2026-11-24T03:00:00.215Z',
      at: '2026-11-24T03:00:30.218Z',
    },
  },
} satisfies Record<string, DeliveryEvent>;
