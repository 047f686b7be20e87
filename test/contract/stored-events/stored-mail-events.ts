import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { commandId, fingerprint } from '../../support/examples.ts';

/** What the golden files of the mails of vouchers mean; those of public ones in their first version. */
export const STORED_MAIL_EVENTS = {
  'VoucherMailed.v1': {
    type: 'VoucherMailed',
    data: {
      messageId: 'bk_7gk2m0q9xw4t1zc8rb5n.2@waymark.example',
      providerId: '250 2.0.0 Ok: queued as 4D3F21',
      recipient: null,
      at: '2026-11-21T03:00:02.500Z',
    },
  },
  'ReplacedVoucherMailed.v1': {
    type: 'ReplacedVoucherMailed',
    data: {
      issue: 2,
      messageId: 'bk_7gk2m0q9xw4t1zc8rb5n.2@waymark.example',
      recipient: fingerprint('2V8ZR5NW3H1YJD6Q1X9T4B7M0K'),
      at: '2026-11-21T03:00:02.500Z',
    },
  },
  'VoucherMailRequested.v1': {
    type: 'VoucherMailRequested',
    data: { command: commandId('0c6df6d1b0f44b5e8a1c'), by: 'operator', at: '2026-11-21T03:00:00.000Z' },
  },
  'VoucherMailFailed.v1': {
    type: 'VoucherMailFailed',
    data: {
      messageId: 'bk_7gk2m0q9xw4t1zc8rb5n.2@waymark.example',
      attempt: 1,
      reason: '451 4.7.1 try again later',
      retryAtMs: 1_795_230_065_000,
      at: '2026-11-21T03:00:01.000Z',
    },
  },
  'NoticeMailed.v1': {
    type: 'NoticeMailed',
    data: {
      kind: 'cancelled',
      version: 2,
      replaced: false,
      messageId: 'bk_7gk2m0q9xw4t1zc8rb5n.cancelled.2@waymark.example',
      providerId: null,
      recipient: fingerprint('2V8ZR5NW3H1YJD6Q1X9T4B7M0K'),
      at: '2026-11-21T03:00:02.500Z',
    },
  },
  'NoticeMailFailed.v1': {
    type: 'NoticeMailFailed',
    data: {
      kind: 'venue_request',
      version: 1,
      messageId: 'bk_7gk2m0q9xw4t1zc8rb5n.venue_request.1@waymark.example',
      attempt: 1,
      reason: '451 4.7.1 try again later',
      retryAtMs: 1_795_230_065_000,
      at: '2026-11-21T03:00:01.000Z',
    },
  },
} satisfies Record<string, BookingEvent>;
