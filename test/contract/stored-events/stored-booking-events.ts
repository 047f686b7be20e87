import type { BookingEvent, EventData } from '../../../src/domain/booking/events.ts';
import type { BookingFacts, BookingSubject, ClaimRef } from '../../../src/domain/booking/facts.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import {
  activityId,
  allotment,
  claimId,
  commandId,
  date,
  deviceId,
  fingerprint,
  keyId,
  venueId,
} from '../../support/examples.ts';

const logId = (text: string) => text as LogId;
const ATTRIBUTION = {
  logId: logId('rec_5t1zc8rb5n7gk2m0q9xw'),
  rank: 2,
  segment: { travelType: 'family', budget: 'mid', ageGroup: null },
} as const;

const VISIT: EventData<'VisitVerified'> = {
  verifiedAtMs: 1_798_081_200_000,
  reportedAtMs: null,
  uploadedSequence: null,
  method: 'qr_scan',
  deviceId: deviceId('dev_8b5n7gk2m0q9'),
  gate: 'B1 north',
  command: commandId('9K2V8ZR5NW3H1YJD6Q1X'),
  fingerprint: fingerprint('4B7M0K2V8ZR5NW3H1YJD6Q1X9T'),
  keyId: keyId('key_4c9a1f70b2de'),
  activityId: activityId('bkk-sea-life-aquarium'),
  venueId: venueId('bkk-sea-life'),
  city: 'Bangkok',
  category: 'aquarium',
  numGuests: 3,
  attribution: ATTRIBUTION,
  disputed: false,
  opensAtMs: null,
};

const FIRST_CLAIM: ClaimRef = {
  allotment: allotment('bkk-sea-life-aquarium-2026-12-24'),
  id: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'),
  size: 3,
};

const FACTS: BookingFacts = {
  keyId: keyId('key_4c9a1f70b2de'),
  command: commandId('4W8T0N1QXK5M7R2ZP3VG'),
  fingerprint: fingerprint('6Q1X9T4B7M0K2V8ZR5NW3H1YJD'),
  activityId: activityId('bkk-sea-life-aquarium'),
  venueId: venueId('bkk-sea-life'),
  city: 'Bangkok',
  category: 'aquarium',
  date: date('2026-12-24'),
  hours: { beginsAtMs: 1_798_045_200_000, opensAtMs: 1_798_081_200_000, closesAtMs: 1_798_117_200_000 },
  numAdults: 2,
  numChildren: 1,
  claims: [FIRST_CLAIM],
  guest: fingerprint('0M5B8R2XT7K4Q9W1ZV6N3H0YJD'),
  pricing: { unitPriceMinor: 129_000, discountMinor: 38_700, currency: 'THB' },
  cancellation: { freeUntilHours: 24, percentKept: 50 },
  language: 'th',
  attribution: ATTRIBUTION,
  webhookUrl: 'https://agent.example.com/bookings',
  at: '2026-11-21T03:00:00.000Z',
};

const SUBJECT: BookingSubject = {
  keyId: keyId('key_4c9a1f70b2de'),
  activityId: activityId('bkk-sea-life-aquarium'),
  venueId: venueId('bkk-sea-life'),
  city: 'Bangkok',
  category: 'aquarium',
  date: date('2026-12-24'),
  attribution: ATTRIBUTION,
  numGuests: 3,
};

/** What the golden files of bookings mean. */
export const STORED_BOOKING_EVENTS = {
  'BookingConfirmed.v1': {
    type: 'BookingConfirmed',
    data: {
      keyId: keyId('key_4c9a1f70b2de'),
      command: commandId('4W8T0N1QXK5M7R2ZP3VG'),
      fingerprint: fingerprint('6Q1X9T4B7M0K2V8ZR5NW3H1YJD'),
      activityId: activityId('bkk-sea-life-aquarium'),
      venueId: venueId('bkk-sea-life'),
      city: 'Bangkok',
      category: 'aquarium',
      date: date('2026-12-24'),
      hours: null,
      numAdults: 2,
      numChildren: 1,
      claims: [FIRST_CLAIM],
      guest: fingerprint('0M5B8R2XT7K4Q9W1ZV6N3H0YJD'),
      pricing: { unitPriceMinor: 129_000, discountMinor: 38_700, currency: 'THB' },
      cancellation: { freeUntilHours: 24, percentKept: 50 },
      language: 'th',
      attribution: { logId: logId('rec_5t1zc8rb5n7gk2m0q9xw'), rank: null, segment: null },
      webhookUrl: 'https://agent.example.com/bookings',
      at: '2026-11-21T03:00:00.000Z',
      follows: null,
    },
  },
  'BookingConfirmed.v2': {
    type: 'BookingConfirmed',
    data: {
      keyId: keyId('key_4c9a1f70b2de'),
      command: commandId('4W8T0N1QXK5M7R2ZP3VG'),
      fingerprint: fingerprint('6Q1X9T4B7M0K2V8ZR5NW3H1YJD'),
      activityId: activityId('bkk-sea-life-aquarium'),
      venueId: venueId('bkk-sea-life'),
      city: 'Bangkok',
      category: 'aquarium',
      date: date('2026-12-24'),
      hours: null,
      numAdults: 2,
      numChildren: 1,
      claims: [
        {
          allotment: allotment('bkk-sea-life-aquarium-2026-12-24'),
          id: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'),
          size: 3,
        },
      ],
      guest: fingerprint('0M5B8R2XT7K4Q9W1ZV6N3H0YJD'),
      pricing: { unitPriceMinor: 129_000, discountMinor: 38_700, currency: 'THB' },
      cancellation: { freeUntilHours: 24, percentKept: 50 },
      language: 'th',
      attribution: ATTRIBUTION,
      webhookUrl: 'https://agent.example.com/bookings',
      at: '2026-11-21T03:00:00.000Z',
      follows: null,
    },
  },
  'BookingConfirmed.v3': { type: 'BookingConfirmed', data: { ...FACTS, follows: 'BookingPlacedOnRequest' } },
  'BookingStarted.v1': { type: 'BookingStarted', data: { ...FACTS, finishByMs: 1_795_230_600_000, answerByMs: null } },
  'BookingPlacedOnRequest.v1': {
    type: 'BookingPlacedOnRequest',
    data: { ...FACTS, answerByMs: 1_795_316_400_000, follows: 'BookingStarted' },
  },
  'BookingRejected.v1': {
    type: 'BookingRejected',
    data: {
      ...SUBJECT,
      reason: 'venue_unavailable',
      code: 'ACTIVITY_UNAVAILABLE',
      by: 'venue',
      currency: 'THB',
      dropped: [FIRST_CLAIM],
      at: '2026-11-21T05:30:00.000Z',
    },
  },
  'BookingModified.v1': {
    type: 'BookingModified',
    data: {
      ...SUBJECT,
      date: date('2026-12-26'),
      numGuests: 4,
      command: commandId('2V8ZR5NW3H1YJD6Q1X9T'),
      fingerprint: fingerprint('7M0K2V8ZR5NW3H1YJD6Q1X9T4B'),
      by: 'user',
      changes: {
        date: { from: date('2026-12-24'), to: date('2026-12-26') },
        numAdults: { from: 2, to: 3 },
        numChildren: { from: 0, to: 1 },
        guest: ['name', 'email', 'specialRequests'],
      },
      numAdults: 3,
      numChildren: 1,
      hours: { beginsAtMs: 1_798_218_000_000, opensAtMs: 1_798_254_000_000, closesAtMs: 1_798_290_000_000 },
      pricing: { unitPriceMinor: 149_000, discountMinor: 0, currency: 'THB' },
      cancellation: { freeUntilHours: 48, percentKept: 100 },
      claims: [
        {
          allotment: allotment('bkk-sea-life-aquarium-2026-12-26'),
          id: claimId('bk_7gk2m0q9xw4t1zc8rb5n.w6k3v9q2m1x7p4t8'),
          size: 4,
        },
      ],
      dropped: [FIRST_CLAIM],
      shrunk: [{ ...FIRST_CLAIM, id: claimId('bk_7gk2m0q9xw4t1zc8rb5n.p4t8k3v9q2m1x7w6'), size: 1 }],
      guest: {
        record: claimId('bk_7gk2m0q9xw4t1zc8rb5n.w6k3v9q2m1x7p4t8'),
        fingerprint: fingerprint('8R2XT7K4Q9W1ZV6N3H0YJD0M5B'),
      },
      version: 3,
      answerByMs: null,
      at: '2026-11-22T09:15:00.000Z',
    },
  },
  'BookingModified.v2': {
    type: 'BookingModified',
    data: {
      ...SUBJECT,
      date: date('2026-12-26'),
      numGuests: 4,
      command: commandId('2V8ZR5NW3H1YJD6Q1X9T'),
      fingerprint: fingerprint('7M0K2V8ZR5NW3H1YJD6Q1X9T4B'),
      by: 'user',
      changes: {
        date: { from: date('2026-12-24'), to: date('2026-12-26') },
        numAdults: { from: 2, to: 3 },
        numChildren: { from: 0, to: 1 },
        guest: ['name', 'email', 'specialRequests'],
      },
      numAdults: 3,
      numChildren: 1,
      hours: { beginsAtMs: 1_798_218_000_000, opensAtMs: 1_798_254_000_000, closesAtMs: 1_798_290_000_000 },
      pricing: { unitPriceMinor: 149_000, discountMinor: 0, currency: 'THB' },
      cancellation: { freeUntilHours: 48, percentKept: 100 },
      claims: [
        {
          allotment: allotment('bkk-sea-life-aquarium-2026-12-26'),
          id: claimId('bk_7gk2m0q9xw4t1zc8rb5n.w6k3v9q2m1x7p4t8'),
          size: 4,
        },
      ],
      dropped: [FIRST_CLAIM],
      shrunk: [{ ...FIRST_CLAIM, id: claimId('bk_7gk2m0q9xw4t1zc8rb5n.p4t8k3v9q2m1x7w6'), size: 1 }],
      guest: {
        record: claimId('bk_7gk2m0q9xw4t1zc8rb5n.w6k3v9q2m1x7p4t8'),
        fingerprint: fingerprint('8R2XT7K4Q9W1ZV6N3H0YJD0M5B'),
      },
      version: 3,
      answerByMs: 1_795_316_400_000,
      at: '2026-11-22T09:15:00.000Z',
    },
  },
  'BookingCancelled.v1': {
    type: 'BookingCancelled',
    data: {
      ...SUBJECT,
      command: commandId('R5NW3H1YJD6Q1X9T4B7M'),
      fingerprint: fingerprint('3H1YJD6Q1X9T4B7M0K2V8ZR5NW'),
      reason: 'user_requested',
      by: 'user',
      refundMinor: 135_450,
      currency: 'THB',
      dropped: [FIRST_CLAIM],
      at: '2026-12-23T18:00:00.000Z',
    },
  },
  'ChargeRecorded.v1': { type: 'ChargeRecorded', data: { amountMinor: 270_900, currency: 'THB', keyId: null } },
  'ChargeRecorded.v2': {
    type: 'ChargeRecorded',
    data: { keyId: keyId('key_4c9a1f70b2de'), amountMinor: 270_900, currency: 'THB' },
  },
  'RefundRecorded.v1': {
    type: 'RefundRecorded',
    data: { keyId: keyId('key_4c9a1f70b2de'), amountMinor: 135_450, currency: 'THB' },
  },
  'GuestErased.v1': {
    type: 'GuestErased',
    data: {
      records: [
        claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'),
        claimId('bk_7gk2m0q9xw4t1zc8rb5n.w6k3v9q2m1x7p4t8'),
      ],
      by: 'operator',
      at: '2027-01-10T08:00:00.000Z',
    },
  },
  'VoucherIssued.v1': {
    type: 'VoucherIssued',
    data: {
      code: 'WM-7GK2M0Q9XW4T1ZC8RB5N-3H6V0YJ2PD9S4QAEK7M1XW8TGZ',
      validFromMs: 1_798_045_200_000,
      validUntilMs: 1_798_113_600_000,
    },
  },
  'ClaimAbandoned.v1': {
    type: 'ClaimAbandoned',
    data: { claim: FIRST_CLAIM.id, allotment: FIRST_CLAIM.allotment },
  },
  'ReferenceRecorded.v1': { type: 'ReferenceRecorded', data: { reference: fingerprint('7T4B0K2V8ZR5NW3H1YJD6Q1X9M') } },
  'VisitVerified.v1': {
    type: 'VisitVerified',
    data: { ...VISIT, keyId: null, attribution: { ...ATTRIBUTION, rank: null, segment: null } },
  },
  'VisitVerified.v2': { type: 'VisitVerified', data: { ...VISIT, keyId: null } },
  'VisitVerified.v3': { type: 'VisitVerified', data: VISIT },
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
} satisfies Record<string, BookingEvent>;
