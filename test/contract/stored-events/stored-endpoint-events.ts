import type { EndpointEvent } from '../../../src/domain/endpoint/endpoint.ts';
import { keyId } from '../../support/examples.ts';

/** What the golden files of endpoints mean today. */
export const STORED_ENDPOINT_EVENTS = {
  'EndpointFailing.v1': {
    type: 'EndpointFailing',
    data: {
      keyId: keyId('key_4c9a1f70b2de'),
      kind: 'key',
      origin: 'https://agent.example.com',
      since: '2026-11-21T03:00:00.500Z',
    },
  },
  'EndpointRecovered.v1': {
    type: 'EndpointRecovered',
    data: {
      at: '2026-11-21T03:00:05.600Z',
    },
  },
  'EndpointSuspended.v1': {
    type: 'EndpointSuspended',
    data: {
      keyId: keyId('key_4c9a1f70b2de'),
      kind: 'key',
      origin: 'https://agent.example.com',
      failingSince: '2026-11-21T03:00:00.500Z',
      error: 'answered 503',
      issue: 1,
      at: '2026-11-26T03:10:00.000Z',
    },
  },
  'EndpointEnabled.v1': {
    type: 'EndpointEnabled',
    data: {
      at: '2026-11-27T09:00:00.000Z',
    },
  },
  'SuspensionMailed.v1': {
    type: 'SuspensionMailed',
    data: {
      issue: 1,
      messageId: '<ep_2m7x0k4q9w1t6c8r3z5v0n7d.1@waymark.example>',
      at: '2026-11-26T03:10:02.000Z',
      providerId: '250 2.0.0 Ok: queued as 4D3F21',
    },
  },
  'SuspensionMailFailed.v1': {
    type: 'SuspensionMailFailed',
    data: {
      issue: 1,
      messageId: '<ep_2m7x0k4q9w1t6c8r3z5v0n7d.1@waymark.example>',
      at: '2026-11-26T03:10:01.000Z',
      attempt: 1,
      reason: 'RCPT TO 450',
      retryAtMs: 1795662611000,
    },
  },
} satisfies Record<string, EndpointEvent>;
