import type { Activity, HotelId } from '../../../src/domain/activity/activity.ts';
import type { ActivityEvent } from '../../../src/domain/activity/decider.ts';
import type { ApiKeyEvent, KeyFacts } from '../../../src/domain/apikey/apikey.ts';
import type { GuestEvent } from '../../../src/domain/guest/guest.ts';
import type { ScanEvent } from '../../../src/domain/scan/scan.ts';
import type { VenueEvent } from '../../../src/domain/venue/venue.ts';
import type { DomainEvent } from '../../../src/eventsourcing/message.ts';
import { activityId, bookingId, date, deviceId, fingerprint, hotelId, keyId, venueId } from '../../support/examples.ts';
import { STORED_ALLOTMENT_EVENTS } from './stored-allotment-events.ts';
import { STORED_AUDIT_EVENTS } from './stored-audit-events.ts';
import { STORED_BOOKING_EVENTS } from './stored-booking-events.ts';
import { STORED_DELIVERY_EVENTS } from './stored-delivery-events.ts';
import { STORED_ENDPOINT_EVENTS } from './stored-endpoint-events.ts';
import { STORED_EXPERIMENT_EVENTS } from './stored-experiment-events.ts';
import { STORED_HOLD_EVENTS } from './stored-hold-events.ts';
import { STORED_EVIDENCE_EVENTS, STORED_LEARNING_EVENTS } from './stored-learning-events.ts';
import { STORED_MAIL_EVENTS } from './stored-mail-events.ts';
import { STORED_OPERATOR_EVENTS } from './stored-operator-events.ts';
import { STORED_PARKING_EVENTS } from './stored-parking-events.ts';
import { STORED_PUBLIC_EVENTS } from './stored-public-events.ts';
import { STORED_REBUILD_EVENTS } from './stored-rebuild-events.ts';
import { STORED_RECOMMENDATION_EVENTS } from './stored-recommendation-events.ts';
import { STORED_SECRET_KEY_EVENTS, STORED_VOUCHER_KEY_EVENTS } from './stored-secret-events.ts';
import { STORED_SESSION_EVENTS } from './stored-session-events.ts';
import { STORED_SPENDING_EVENTS } from './stored-spending-events.ts';
import { STORED_VISIT_EVENTS } from './stored-visit-events.ts';

const CHANGED_DEVICE = {
  venueId: venueId('bkk-sea-life'),
  deviceId: deviceId('dev_8b5n7gk2m0q9'),
  at: '2026-12-31T16:30:00.000Z',
};

/**
 * The event that each golden file decodes to, by category and file name. A new version of an event gets a new entry and a
 * new file; entries of older versions hold the result of their upcasters.
 */
export const STORED_EVENTS: Readonly<Record<string, Readonly<Record<string, DomainEvent>>>> = {
  activity: {
    'ActivityListed.v1': { type: 'ActivityListed', data: { activity: aquarium(), digest: 'b1946ac92492d234' } },
    'ActivityListed.v2': {
      type: 'ActivityListed',
      data: { activity: aquarium(hotelId('bkk-siam-kempinski')), digest: 'b1946ac92492d234' },
    },
    'ActivityUpdated.v1': { type: 'ActivityUpdated', data: { activity: aquarium(), digest: '591785b794601e21' } },
    'ActivityUpdated.v2': { type: 'ActivityUpdated', data: { activity: aquarium(), digest: '591785b794601e21' } },
    'ActivityRetired.v1': { type: 'ActivityRetired', data: {} },
    'ActivityOverridden.v1': { type: 'ActivityOverridden', data: { activity: aquarium(), digest: '7d1f0a94c3e85b26' } },
    'OverrideWithdrawn.v1': { type: 'OverrideWithdrawn', data: {} },
  } satisfies Record<string, ActivityEvent>,

  allotment: STORED_ALLOTMENT_EVENTS,

  apikey: {
    'KeyCreated.v1': { type: 'KeyCreated', data: createdKey() },
    'TestKeyCreated.v1': { type: 'TestKeyCreated', data: { ...createdKey(), plan: 'basic', ipAllowlist: null } },
    'KeyChanged.v1': {
      type: 'KeyChanged',
      data: {
        changes: {
          name: 'Concierge of two hotels in Phuket',
          plan: 'enterprise',
          permissions: ['recommend', 'execute_booking', 'webhook'],
          webhookUrl: 'https://agent.example.com/hooks/waymark',
          webhookEvents: null,
          ipAllowlist: ['198.51.100.7', '2001:db8::/32'],
          contactEmail: 'desk@example.com',
          expiresAt: null,
        },
        at: '2026-11-25T08:15:00.000Z',
      },
    },
    'KeyRotated.v1': {
      type: 'KeyRotated',
      data: {
        hash: '7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a',
        prefix: 'pk_2b80f1',
        oldUntil: '2026-11-27T08:15:00.000Z',
        at: '2026-11-26T08:15:00.000Z',
      },
    },
    'KeyActivated.v1': { type: 'KeyActivated', data: { at: '2026-12-02T09:30:00.000Z' } },
    'WebhookSecretRotated.v1': {
      type: 'WebhookSecretRotated',
      data: {
        webhookSecret: 'q8Zt5uVb0RwYk3Hn6Jd1Xs4Mf7Lp9CgE',
        oldUntil: '2026-11-29T10:00:00.000Z',
        at: '2026-11-28T10:00:00.000Z',
      },
    },
    'WebhookSecretRotationFinished.v1': {
      type: 'WebhookSecretRotationFinished',
      data: { at: '2026-11-28T16:45:00.000Z' },
    },
    'WebhookSecretResealed.v1': {
      type: 'WebhookSecretResealed',
      data: {
        webhookSecret: 'Jd1Xs4Mf7Lp9CgEq8Zt5uVb0RwYk3Hn6',
        replaced: 'b0RwYk3Hn6Jd1Xs4Mf7Lp9CgEq8Zt5uV',
        at: '2026-11-27T09:00:06.000Z',
      },
    },
    'KeyLimitsSet.v1': {
      type: 'KeyLimitsSet',
      data: {
        limits: { bookingTotal: { amountMinor: 500_000, currency: 'THB' }, dayTotal: null, exposure: {} },
        at: '2026-11-22T08:00:00.000Z',
      },
    },
    'KeyLimitsSet.v2': {
      type: 'KeyLimitsSet',
      data: {
        limits: { bookingTotal: null, dayTotal: null, exposure: { openHolds: null, unpaidShare: 0.3 } },
        at: '2026-11-24T08:00:00.000Z',
      },
    },
    'KeyHotelsAllowed.v1': {
      type: 'KeyHotelsAllowed',
      data: { hotelIds: [hotelId('bkk-hotel-peninsula')], at: '2026-11-24T08:00:00.000Z' },
    },
    'KeyExplorationSet.v1': {
      type: 'KeyExplorationSet',
      data: { exploration: false, at: '2026-11-24T08:30:00.000Z' },
    },
    'KeyDeactivated.v1': { type: 'KeyDeactivated', data: { at: '2026-12-01T09:30:00.000Z' } },
  } satisfies Record<string, ApiKeyEvent>,

  audit: STORED_AUDIT_EVENTS,

  booking: { ...STORED_BOOKING_EVENTS, ...STORED_MAIL_EVENTS, ...STORED_PUBLIC_EVENTS, ...STORED_VISIT_EVENTS },

  delivery: STORED_DELIVERY_EVENTS,
  endpoint: STORED_ENDPOINT_EVENTS,
  evidence: STORED_EVIDENCE_EVENTS,

  experiment: STORED_EXPERIMENT_EVENTS,

  guest: {
    'GuestRecorded.v1': {
      type: 'GuestRecorded',
      data: {
        booking: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
        fingerprint: fingerprint('0M5B8R2XT7K4Q9W1ZV6N3H0YJD'),
        name: 'สมชาย Nguyễn-O’Brien',
        email: 'somchai@example.com',
        specialRequests: 'A pushchair at the entrance, please.\nThank you!',
      },
    },
    'CallerDataRecorded.v1': {
      type: 'CallerDataRecorded',
      data: { reference: 'ทริป 42/ü', metadata: { room: '1204', 'crm.id': 'a-17' } },
    },
  } satisfies Record<string, GuestEvent>,

  hold: STORED_HOLD_EVENTS,
  learning: STORED_LEARNING_EVENTS,
  operator: STORED_OPERATOR_EVENTS,

  checkpoint: {
    'CheckpointStored.v1': { type: 'CheckpointStored', data: { position: '0000000000000042' } },
  },

  projection: STORED_REBUILD_EVENTS,
  reader: STORED_PARKING_EVENTS,

  recommendation: STORED_RECOMMENDATION_EVENTS,

  scan: {
    'ScanBound.v1': {
      type: 'ScanBound',
      data: { booking: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'), fingerprint: fingerprint('4B7M0K2V8ZR5NW3H1YJD6Q1X9T') },
    },
  } satisfies Record<string, ScanEvent>,

  secretkey: STORED_SECRET_KEY_EVENTS,
  session: STORED_SESSION_EVENTS,
  spending: STORED_SPENDING_EVENTS,

  venue: {
    'DeviceRegistered.v1': { type: 'DeviceRegistered', data: registeredDevice() },
    'TestDeviceRegistered.v1': { type: 'TestDeviceRegistered', data: registeredDevice() },
    'DeviceRemoved.v1': { type: 'DeviceRemoved', data: CHANGED_DEVICE },
    'DevicePaused.v1': { type: 'DevicePaused', data: { ...CHANGED_DEVICE, reason: null } },
    'DevicePaused.v2': { type: 'DevicePaused', data: { ...CHANGED_DEVICE, reason: '48 scans before the opening.' } },
    'DeviceResumed.v1': { type: 'DeviceResumed', data: { ...CHANGED_DEVICE, reason: null } },
    'DeviceResumed.v2': { type: 'DeviceResumed', data: { ...CHANGED_DEVICE, reason: 'Found behind the desk.' } },
  } satisfies Record<string, VenueEvent>,

  voucherkey: STORED_VOUCHER_KEY_EVENTS,
};

/** An entry with every kind of value in it, though a small one: a closed day, a season, a closed date, an image. */
function aquarium(exclusiveTo: HotelId | null = null): Activity {
  const daily = { open: '10:00', lastEntry: '19:00', close: '20:00' };
  const english = {
    title: 'SEA LIFE Bangkok Ocean World',
    description: 'Sharks, penguins and a glass tunnel under Siam.',
    checkIn: 'Show the code at the counter on floor B1.',
  };
  const thai = { title: 'ซีไลฟ์ แบงคอก', description: 'ฉลาม เพนกวิน และอุโมงค์แก้ว', checkIn: 'แสดงรหัสที่เคาน์เตอร์ชั้น B1' };
  return {
    id: activityId('bkk-sea-life-aquarium'),
    city: 'Bangkok',
    venue: {
      id: venueId('bkk-sea-life'),
      name: 'SEA LIFE Bangkok Ocean World',
      address: 'Floors B1-B2, Siam Paragon, 991 Rama I Road, Pathum Wan, Bangkok 10330',
      lat: 13.7463,
      lon: 100.5349,
    },
    category: 'aquarium',
    setting: 'indoor',
    difficulty: 'easy',
    durationMinutes: 120,
    travelTypes: ['family', 'couple', 'friends'],
    ageGroups: ['family', 'young_adult', 'adult', 'senior'],
    bestTimes: ['morning', 'evening'],
    openings: {
      sun: daily,
      mon: null,
      tue: daily,
      wed: daily,
      thu: daily,
      fri: daily,
      sat: { open: '10:00', lastEntry: '00:30', close: '01:00' },
    },
    closedDates: [date('2026-12-31')],
    seasons: [{ from: '12-20', to: '01-05', priceMinor: 149_000, capacity: 80 }],
    capacity: 60,
    priceMinor: 129_000,
    currency: 'THB',
    confirmation: 'instant',
    exclusiveTo,
    cancellation: { freeUntilHours: 24, percentKept: 50 },
    images: ['https://images.example.com/aquarium.jpg'],
    texts: { en: english, th: thai, vi: english, id: english, ms: english, zh: english, ja: english, ko: english },
    estimatedOn: date('2026-11-01'),
  };
}

function createdKey(): KeyFacts {
  return {
    keyId: keyId('key_4c9a1f70b2de'),
    hash: 'c1f3d0a5b7e94826ad0c3b1e5f7092846b1d8c0e2f4a69b7d3c5e1f0a8b6d429',
    prefix: 'pk_9f3c1a',
    webhookSecret: 'GJk2o1yWq0C4v7mXe5RtZb8NnLs3Pd6U',
    at: '2026-11-21T03:00:00.000Z',
    name: 'Concierge of a hotel in Phuket',
    plan: 'enterprise',
    permissions: ['recommend', 'execute_booking', 'inventory', 'webhook'],
    webhookUrl: 'https://agent.example.com/waymark',
    webhookEvents: ['booking_confirmed', 'qr_verified'],
    ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'],
    contactEmail: 'ops@example.com',
    expiresAt: '2027-11-21T00:00:00.000Z',
  };
}

function registeredDevice() {
  return {
    venueId: venueId('bkk-sea-life'),
    deviceId: deviceId('dev_8b5n7gk2m0q9'),
    name: 'Gate B1 north',
    hash: '8f14e45fceea167a5a36dedd4bea25430f5a9d6e1c7b3d2489ab0ce6f1d23547',
    at: '2026-11-21T03:00:00.000Z',
  };
}
