import type {
  Activity,
  ActivityId,
  HotelId,
  OpeningHours as Hours,
  LocalDate,
  VenueId,
} from '../../src/domain/activity/activity.ts';
import type { DealPolicy } from '../../src/domain/allotment/deal-policy.ts';
import type { DateSchedule } from '../../src/domain/allotment/events.ts';
import type { KeyFacts } from '../../src/domain/apikey/apikey.ts';
import type { BookingEvent, EventData, ReportedVisit } from '../../src/domain/booking/events.ts';
import { type BookingFacts, publicFactsOf } from '../../src/domain/booking/facts.ts';
import type { Voucher } from '../../src/domain/booking/state.ts';
import type {
  DeliveryFacts,
  DeliveryId,
  PublicEventId,
  ReplayId,
  ResendRequestId,
  TestFacts,
} from '../../src/domain/delivery/delivery.ts';
import type { EndpointId } from '../../src/domain/endpoint/endpoint.ts';
import type { UnpaidTaker } from '../../src/domain/exposure/exposure.ts';
import type { HoldFacts } from '../../src/domain/hold/hold.ts';
import type {
  AllotmentId,
  BookingId,
  ClaimId,
  CommandId,
  DeviceId,
  Fingerprint,
  HoldId,
  KeyId,
} from '../../src/domain/ids.ts';
import { type RankedCandidate, toColumns } from '../../src/domain/recommendation/ranked.ts';
import type { ServedFacts } from '../../src/domain/recommendation/recommendation.ts';

/** Branded ids, as a parser at the edge returns them. */
export const date = (text: string) => text as LocalDate;
export const activityId = (text: string) => text as ActivityId;
export const venueId = (text: string) => text as VenueId;
export const hotelId = (text: string) => text as HotelId;
export const allotment = (text: string) => text as AllotmentId;
export const claimId = (text: string) => text as ClaimId;
export const holdId = (text: string) => text as HoldId;
export const bookingId = (text: string) => text as BookingId;
export const keyId = (text: string) => text as KeyId;
export const deviceId = (text: string) => text as DeviceId;
export const commandId = (text: string) => text as CommandId;
export const deliveryId = (text: string) => text as DeliveryId;
export const endpointId = (text: string) => text as EndpointId;
export const publicEventId = (text: string) => text as PublicEventId;
export const replayId = (text: string) => text as ReplayId;
export const resendRequestId = (text: string) => text as ResendRequestId;
export const fingerprint = (text: string) => text as Fingerprint;

const DAILY: Hours = { open: '09:00', lastEntry: '17:00', close: '18:00' };

export function everyDay(hours: Hours | null): Activity['openings'] {
  return { sun: hours, mon: hours, tue: hours, wed: hours, thu: hours, fri: hours, sat: hours };
}

/** An aquarium in Bangkok, open daily from nine to six. */
export function anActivity(change: Partial<Activity> = {}): Activity {
  const text = {
    title: 'Siam Ocean World',
    description: 'Ten thousand fish under a shopping street.',
    checkIn: 'Show the code at gate 2.',
  };
  return {
    id: activityId('bkk-ocean-world'),
    city: 'Bangkok',
    venue: {
      id: venueId('siam-ocean-world'),
      name: 'Siam Ocean World',
      address: '991 Rama I Road, Bangkok 10330',
      lat: 13.7462,
      lon: 100.5347,
    },
    category: 'aquarium',
    setting: 'indoor',
    difficulty: 'easy',
    durationMinutes: 150,
    travelTypes: ['family', 'couple'],
    ageGroups: ['family', 'adult'],
    bestTimes: ['morning', 'afternoon'],
    openings: everyDay(DAILY),
    closedDates: [],
    seasons: [],
    capacity: 40,
    priceMinor: 99_000,
    currency: 'THB',
    confirmation: 'instant',
    exclusiveTo: null,
    cancellation: { freeUntilHours: 24, percentKept: 50 },
    images: [],
    texts: { en: text, th: text, vi: text, id: text, ms: text, zh: text, ja: text, ko: text },
    estimatedOn: date('2026-11-01'),
    ...change,
  };
}

/** The aquarium's 24 December 2026: ten slots, at 990.00 baht. */
export function aSchedule(change: Partial<DateSchedule> = {}): DateSchedule {
  return {
    activityId: activityId('bkk-ocean-world'),
    city: 'Bangkok',
    date: date('2026-12-24'),
    capacity: 10,
    unitPriceMinor: 99_000,
    currency: 'THB',
    cancellation: { freeUntilHours: 24, percentKept: 50 },
    catalogueRevision: 0,
    ...change,
  };
}

/** The request for a hold of two adults and a child. */
export function holdFacts(change: Partial<HoldFacts> = {}): HoldFacts {
  return {
    hold: holdId('hold_1'),
    keyId: keyId('key_1'),
    fingerprint: fingerprint('HOLDFP1'),
    activityId: activityId('bkk-ocean-world'),
    date: date('2026-12-24'),
    allotment: allotment('bkk-ocean-world-2026-12-24'),
    numAdults: 2,
    numChildren: 1,
    offered: {
      pricing: { unitPriceMinor: 99_000, discountMinor: 0, currency: 'THB' },
      expiresAtMs: Date.parse('2026-11-21T03:10:00Z'),
    },
    releasesSeen: 0,
    at: '2026-11-21T03:00:00.000Z',
    ...change,
  };
}

/** Two steps, for every activity: 30 percent six hours before the last entry, 50 in the last two where half is free. */
export const A_DEAL_POLICY: DealPolicy = {
  activitiesPercent: 100,
  lastsMinutes: 120,
  steps: [
    { hoursLeft: 6, freePercent: 20, discountPercent: 30 },
    { hoursLeft: 2, freePercent: 50, discountPercent: 50 },
  ],
};

/** Two adults and a child at the aquarium on 24 December 2026, under one claim of three slots. */
export function bookingFacts(change: Partial<BookingFacts> = {}): BookingFacts {
  return {
    keyId: keyId('key_1'),
    command: commandId('CMD1'),
    fingerprint: fingerprint('FP1'),
    activityId: activityId('bkk-ocean-world'),
    venueId: venueId('siam-ocean-world'),
    city: 'Bangkok',
    category: 'aquarium',
    date: date('2026-12-24'),
    hours: {
      beginsAtMs: Date.parse('2026-12-23T17:00:00Z'),
      opensAtMs: Date.parse('2026-12-24T02:00:00Z'),
      closesAtMs: Date.parse('2026-12-24T11:00:00Z'),
    },
    numAdults: 2,
    numChildren: 1,
    claims: [{ allotment: allotment('bkk-ocean-world-2026-12-24'), id: claimId('claim_1'), size: 3 }],
    guest: fingerprint('GUEST1'),
    pricing: { unitPriceMinor: 99_000, discountMinor: 30_000, currency: 'THB' },
    cancellation: { freeUntilHours: 24, percentKept: 50 },
    language: 'en',
    attribution: null,
    webhookUrl: null,
    at: '2026-11-21T03:00:00.000Z',
    ...change,
  };
}

/** A key that just got its name, without a webhook URL. */
export function keyFacts(change: Partial<KeyFacts> = {}): KeyFacts {
  return {
    keyId: keyId('key_1'),
    hash: '',
    prefix: 'pk_1',
    webhookSecret: '',
    at: '2026-11-21T03:00:00.000Z',
    name: 'An agent',
    plan: 'free',
    permissions: [],
    webhookUrl: null,
    webhookEvents: null,
    ipAllowlist: null,
    contactEmail: null,
    expiresAt: null,
    ...change,
  };
}

/** That booking, as in its first event. */
export function confirmation(
  change: Partial<BookingFacts> = {},
  follows: EventData<'BookingConfirmed'>['follows'] = null,
  confirmedAtMs?: number,
): Extract<BookingEvent, { type: 'BookingConfirmed' }> {
  const facts = bookingFacts(change);
  const confirmed = confirmedAtMs === undefined ? {} : { confirmedAtMs };
  return { type: 'BookingConfirmed', data: { ...facts, follows, ...confirmed, publicFacts: publicFactsOf(facts, 4) } };
}

/** From the first instant of 24 December 2026 in Bangkok until the aquarium closes on it. */
/** A key without a limit on its unpaid places. */
export const A_TAKER: UnpaidTaker = { keyId: 'key_1' as KeyId, share: null };

export const A_VOUCHER: Voucher = {
  code: 'WM-7GK2M0Q9XW4T1ZC8RB5N-3H6V0YJ2PD9S4QAEK7M1XW8TGZ',
  validFromMs: Date.parse('2026-12-23T17:00:00Z'),
  validUntilMs: Date.parse('2026-12-24T11:00:00Z'),
};

/** What a confirmation adds to the facts. */
export const ISSUED = { voucher: A_VOUCHER, activityRevision: 4 } as const;

/** A scan at the gate, by default at ten in the morning of the date, reported at once. */
export function aVisit(change: Partial<ReportedVisit> = {}): ReportedVisit {
  const verifiedAtMs = change.verifiedAtMs ?? Date.parse('2026-12-24T03:00:00Z');
  return {
    verifiedAtMs,
    reportedAtMs: verifiedAtMs,
    uploadedSequence: null,
    method: 'qr_scan',
    deviceId: deviceId('dev_1'),
    gate: 'north',
    command: commandId('SCAN1'),
    fingerprint: fingerprint('SCANFP1'),
    ...change,
  };
}

/** That booking's confirmation, for the URL of its key. */
export function deliveryFacts(change: Partial<DeliveryFacts> = {}): DeliveryFacts {
  return {
    eventId: publicEventId('evt_1'),
    event: 'booking_confirmed',
    bookingId: bookingId('bk_1'),
    bookingRevision: 0,
    keyId: keyId('key_1'),
    endpoint: { kind: 'key' },
    activityRevision: 0,
    at: '2026-11-21T03:00:00.000Z',
    ...change,
  };
}

/** The key's own receiver answered 500 to a test. */
export function testFacts(): TestFacts {
  const { eventId, event, keyId: key, at } = deliveryFacts();
  const failed = { responseCode: 500, responseTimeMs: 12, error: 'answered 500' };
  return { eventId, event, keyId: key, keyRevision: 0, origin: null, ...failed, sentAt: at, at };
}

/** Three of five activities shown to a couple in Bangkok. */
export function served(change: Partial<ServedFacts> = {}): ServedFacts {
  return {
    keyId: keyId('key_1'),
    city: 'Bangkok',
    language: 'en',
    profile: { travelType: 'couple', nationality: 'DE', interests: ['spa'], budget: 'mid', ageGroup: 'adult' },
    position: { lat: 13.75, lon: 100.5 },
    hotelId: null,
    filters: { indoor: null, difficulty: null, maxPriceThbMinor: 200_000, categories: null },
    limit: 3,
    includeFlashDeals: true,
    environment: {
      nowMs: Date.parse('2026-11-21T03:00:00Z'),
      weather: { source: 'open-meteo', temperatureC: 31.4, rainProbability: 0.2, windKmh: 9 },
    },
    model: 'weights-2',
    candidates: 5,
    ranked: toColumns(date('2026-11-21'), [
      ranked('bkk-wat-pho-massage', '2026-11-21', [1_000, 500, 900, 800, 700]),
      ranked('bkk-ocean-world', '2026-11-21', [600, 500, 1_000, 700, 650]),
      ranked('river-walk', '2026-11-22', [400, 500, 700, 600, 800]),
      ranked('bkk-rooftop', '2026-11-21', [400, 500, 500, 600, 400]),
    ]),
    shown: 3,
    propensity: 1_000_000,
    evidence: 't09m03oe00a00pe000000',
    digest: '904c7082',
    at: '2026-11-21T03:00:00.000Z',
    ...change,
  };
}

/** @param factors in thousandths, in the order of the weights */
function ranked(id: string, on: string, factors: readonly number[]): RankedCandidate {
  const [profile = 0, groundTruth = 0, weather = 0, time = 0, price = 0] = factors;
  return { activityId: activityId(id), date: date(on), factors: { profile, groundTruth, weather, time, price } };
}
