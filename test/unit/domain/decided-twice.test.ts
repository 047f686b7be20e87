import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ActivityCommand, activityDecider } from '../../../src/domain/activity/decider.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import { freeSlots } from '../../../src/domain/allotment/state.ts';
import { effectiveTerms } from '../../../src/domain/allotment/terms.ts';
import { type ApiKeyCommand, PERMISSIONS } from '../../../src/domain/apikey/apikey.ts';
import { apiKeyDecider } from '../../../src/domain/apikey/decider.ts';
import { type AuditCommand, type AuditedRequest, auditDecider } from '../../../src/domain/audit/audit.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import { deliveryDecider } from '../../../src/domain/delivery/decider.ts';
import { type DeliveryCommand, WEBHOOK_EVENTS } from '../../../src/domain/delivery/delivery.ts';
import { type GuestCommand, guestDecider, UNRECORDED } from '../../../src/domain/guest/guest.ts';
import { type HoldCommand, holdDecider } from '../../../src/domain/hold/hold.ts';
import { MODES, type OperatorId } from '../../../src/domain/ids.ts';
import {
  type RecommendationCommand,
  recommendationDecider,
} from '../../../src/domain/recommendation/recommendation.ts';
import { type ScanCommand, scanDecider } from '../../../src/domain/scan/scan.ts';
import { type VenueCommand, venueDecider } from '../../../src/domain/venue/venue.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { allotmentCommand } from '../../support/allotment-commands.ts';
import { EARLY_MS } from '../../support/booking-life.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import {
  A_VOUCHER,
  allotment,
  anActivity,
  aVisit,
  bookingFacts,
  bookingId,
  claimId,
  commandId,
  date,
  deliveryFacts,
  deviceId,
  fingerprint,
  holdFacts,
  ISSUED,
  keyId,
  replayId,
  resendRequestId,
  served,
  testFacts,
  venueId,
} from '../../support/examples.ts';

// Few different ids and values, so that commands are often equal or similar.
const few = <Name>(brand: (text: string) => Name, prefix: string) =>
  fc.integer({ min: 1, max: 3 }).map((number) => brand(`${prefix}${number}`));
const claim = few(claimId, 'claim_');
const booking = few(bookingId, 'bk_');
const print = few(fingerprint, 'FP');
const command = few(commandId, 'CMD');
const device = few(deviceId, 'dev_');
const text = few((plain) => plain, 'text ');
const PLACE = allotment('bkk-ocean-world-2026-12-24');
const AT = '2026-11-21T03:00:00.000Z';
const at = fc.constant(AT);
const ANOTHER_DATE = {
  date: date('2026-12-26'),
  hours: { beginsAtMs: 1_798_218_000_000, opensAtMs: 1_798_250_400_000, closesAtMs: 1_798_282_800_000 },
  lastEntryMs: 1_798_279_200_000,
  cancellation: { freeUntilHours: 24, percentKept: 50 },
} as const;
const instant = fc.constantFrom(AT, '2026-11-22T03:00:00.000Z', '2026-11-23T03:00:00.000Z');

const claimedIn = fc.constantFrom(PLACE, allotment('bkk-ocean-world-2026-12-26'));
const bookable = fc
  .record({ claim, command, fingerprint: print })
  .map(({ claim: id, ...request }) => bookingFacts({ ...request, claims: [{ allotment: PLACE, id, size: 3 }] }));
const changer = fc.constantFrom('user' as const, 'operator' as const);
const common = {
  commandId: command,
  fingerprint: print,
  by: changer,
  ifVersions: fc.option(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 })),
  nowMs: fc.constantFrom(EARLY_MS, A_VOUCHER.validUntilMs - 1, A_VOUCHER.validUntilMs),
  at,
};
const beginning: fc.Arbitrary<BookingCommand> = fc.oneof(
  bookable.map((of) => ({ type: 'Start' as const, facts: of, finishByMs: 1, answerByMs: null })),
  bookable.map((of) => ({ type: 'PlaceOnRequest' as const, facts: of, answerByMs: 1 })),
  bookable.map((of) => ({ type: 'ConfirmWithoutVenue' as const, facts: of, ...ISSUED, reference: of.guest })),
);
const changing: fc.Arbitrary<BookingCommand> = fc.oneof(
  fc
    .record({ ifVersions: fc.constantFrom(null, [1]), nowMs: fc.constantFrom(EARLY_MS, A_VOUCHER.validUntilMs) })
    .map((of) => ({ type: 'ConfirmByVenue' as const, ...ISSUED, ...of })),
  fc.record({
    type: fc.constant('Reject' as const),
    reason: fc.constantFrom('venue_unavailable' as const, 'system' as const),
    code: fc.constant('ACTIVITY_UNAVAILABLE' as const),
    by: changer,
    at,
  }),
  fc.record({
    type: fc.constant('Cancel' as const),
    reason: fc.constantFrom('user_requested' as const, 'weather' as const),
    ...common,
  }),
  fc.record({ type: fc.constant('EraseGuest' as const), by: changer, at }),
  fc.record({
    type: fc.constant('Modify' as const),
    plannedOn: fc.integer({ min: 1, max: 4 }),
    modification: fc.record({
      move: fc.option(fc.constant(ANOTHER_DATE)),
      numAdults: fc.integer({ min: 1, max: 4 }),
      numChildren: fc.constant(1),
      guest: fc.option(fc.record({ record: claim, fingerprint: print, fields: fc.constant(['name' as const]) })),
    }),
    taken: fc.option(
      fc.record({
        claim: fc.record({ id: claim, size: fc.integer({ min: 1, max: 5 }), allotment: claimedIn }),
        pricing: fc.constant({ unitPriceMinor: 50_000, discountMinor: 0, currency: 'THB' as const }),
      }),
    ),
    ...common,
  }),
);
const scanned = fc.integer({ min: A_VOUCHER.validFromMs - 2, max: A_VOUCHER.validUntilMs + 2 });
const mail = { issue: fc.integer({ min: 0, max: 2 }), messageId: text, at };
const notice = {
  kind: fc.constantFrom('pending' as const, 'rejected' as const, 'cancelled' as const, 'venue_request' as const),
  version: fc.integer({ min: 1, max: 4 }),
  ...mail,
};
const bookingCommand: fc.Arbitrary<BookingCommand> = fc.oneof(
  { arbitrary: beginning, weight: 3 },
  { arbitrary: changing, weight: 5 },
  fc.record({ type: fc.constant('AbandonClaim' as const), claimId: claim, allotmentId: fc.constant(PLACE) }),
  fc.record({
    type: fc.constant('VerifyVisit' as const),
    venueId: fc.constantFrom(venueId('siam-ocean-world'), venueId('another-venue')),
    visit: fc.record({ command, fingerprint: print, verifiedAtMs: scanned }).map(aVisit),
    activityRevision: fc.constant(0),
  }),
  fc.record({ type: fc.constant('VoidVisit' as const), visit: command, reason: text, at: instant }),
  fc.record({ type: fc.constant('RequestVoucherMail' as const), commandId: command, by: changer, nowMs: scanned, at }),
  fc.record({
    type: fc.constant('RecordVoucherMailed' as const),
    recipient: print,
    providerId: fc.option(text),
    ...mail,
  }),
  fc.record({
    type: fc.constant('RecordVoucherMailFailed' as const),
    attempt: fc.integer({ min: 1, max: 3 }),
    reason: text,
    retryAtMs: fc.option(fc.nat()),
    ...mail,
  }),
  fc.record({
    type: fc.constant('RecordNoticeMailed' as const),
    recipient: print,
    providerId: fc.option(text),
    ...notice,
  }),
  fc.record({
    type: fc.constant('RecordNoticeMailFailed' as const),
    attempt: fc.integer({ min: 1, max: 3 }),
    reason: text,
    retryAtMs: fc.option(fc.nat()),
    ...notice,
  }),
);

const holdCommand = print.map(
  (request): HoldCommand => ({ type: 'AskHold', facts: holdFacts({ fingerprint: request }) }),
);

const guestCommand: fc.Arbitrary<GuestCommand> = fc.record({
  type: fc.constant('RecordGuest' as const),
  bookingId: booking,
  fingerprint: print,
  guest: fc.constantFrom(UNRECORDED, { ...UNRECORDED, reference: 'trip-42' }),
});

const activityCommand: fc.Arbitrary<ActivityCommand> = fc.oneof(
  text.map((digest) => ({ type: 'ListActivity' as const, activity: anActivity(), digest })),
  fc.constant({ type: 'RetireActivity' as const }),
);

const apiKeyCommand: fc.Arbitrary<ApiKeyCommand> = fc.oneof(
  fc.record({ hash: text, name: text, mode: fc.constantFrom(...MODES) }).map(({ mode, ...given }) => ({
    type: 'CreateKey' as const,
    mode,
    facts: {
      ...given,
      keyId: keyId('key_1'),
      prefix: 'pk_5e8848',
      webhookSecret: 'sealed',
      at: AT,
      plan: 'enterprise' as const,
      permissions: [],
      webhookUrl: null,
      webhookEvents: null,
      ipAllowlist: null,
      contactEmail: null,
      expiresAt: null,
    },
  })),
  fc.record({
    type: fc.constant('ChangeKey' as const),
    changes: fc.record(
      {
        name: text,
        plan: fc.constantFrom('free' as const, 'enterprise' as const),
        permissions: fc.subarray([...PERMISSIONS]),
        webhookEvents: fc.option(fc.subarray([...WEBHOOK_EVENTS])),
        ipAllowlist: fc.option(fc.constant(['203.0.113.0/24'])),
      },
      { requiredKeys: [] },
    ),
    exploration: fc.boolean(),
    at: instant,
  }),
  fc.record({
    type: fc.constant('RotateKey' as const),
    value: fc.record({ hash: text, prefix: text }),
    oldUntil: instant,
    at: instant,
  }),
  fc.record({
    type: fc.constantFrom('DeactivateKey' as const, 'ActivateKey' as const, 'FinishWebhookSecretRotation' as const),
    at: instant,
  }),
  fc
    .record({ from: text, to: text, replaced: fc.option(fc.record({ from: text, to: text })), at: instant })
    .map(({ from, to, replaced, ...rest }) => {
      const sealed = (webhookSecret: string, other = replaced?.from ?? null) => ({ webhookSecret, replaced: other });
      const secrets = { from: sealed(from), to: sealed(to, replaced?.to ?? null) };
      return { type: 'ResealWebhookSecret' as const, ...secrets, ...rest };
    }),
  fc.record({ type: fc.constant('RotateWebhookSecret' as const), webhookSecret: text, oldUntil: instant, at: instant }),
);

const venueCommand: fc.Arbitrary<VenueCommand> = fc.oneof(
  fc
    .record({ deviceId: device, name: text, hash: text, mode: fc.constantFrom(...MODES) })
    .map(({ mode, ...facts }) => ({
      type: 'RegisterDevice' as const,
      mode,
      facts: { ...facts, venueId: venueId('siam-ocean-world'), at: AT },
    })),
  fc.record({
    type: fc.constantFrom('RemoveDevice' as const, 'PauseDevice' as const, 'ResumeDevice' as const),
    deviceId: device,
    venueId: fc.constant(venueId('siam-ocean-world')),
    at,
    reason: fc.option(text),
  }),
);

const binding = fc.record({ booking, fingerprint: print });
const recommendationCommand: fc.Arbitrary<RecommendationCommand> = fc.constantFrom(2, 3).map((shown) => ({
  type: 'RecordRecommendation' as const,
  facts: served({ shown }),
}));
const OF_AUDIT = { operation: 'erase_guest', objects: ['bk_1'], at: AT };
const REQUEST_OF_AUDIT: AuditedRequest = {
  ...OF_AUDIT,
  caller: { kind: 'operator', id: 'op_1' as OperatorId, role: 'support' },
  fields: [],
  address: null,
};
const ANSWERED = { status: 200, code: null };
const auditCommand: fc.Arbitrary<AuditCommand> = fc.constantFrom<AuditCommand[]>(
  { type: 'RequestAct', request: REQUEST_OF_AUDIT },
  { type: 'AnswerAct', answer: { ...OF_AUDIT, ...ANSWERED } },
  { type: 'RecordRead', read: { ...REQUEST_OF_AUDIT, ...ANSWERED } },
);

const scanCommand: fc.Arbitrary<ScanCommand> = fc.record({
  type: fc.constant('BindScan' as const),
  binding,
  replaces: fc.option(binding),
});

const attempted = {
  attempt: fc.integer({ min: 1, max: 7 }),
  keyRevision: fc.nat(2),
  endpointId: fc.constant(null),
  responseTimeMs: fc.nat(30_000),
  at,
};
const deliveryCommand: fc.Arbitrary<DeliveryCommand> = fc.oneof(
  fc.record({ type: fc.constantFrom('ScheduleDelivery', 'OmitDelivery'), facts: fc.constant(deliveryFacts()) }),
  fc.record({ type: fc.constant('RecordSuccess' as const), responseCode: fc.constant(200), ...attempted }),
  fc.record({
    type: fc.constant('RecordFailure' as const),
    responseCode: fc.constantFrom(500, 503, null),
    error: text,
    retryAfterMs: fc.option(fc.nat()),
    failedAtMs: fc.nat(),
    ...attempted,
  }),
  fc.record({ type: fc.constant('RecordTest' as const), facts: fc.constant(testFacts()) }),
  fc.record({
    type: fc.constant('ScheduleReplay' as const),
    facts: fc.constant(deliveryFacts()),
    replay: few(replayId, 'rpl_'),
  }),
  fc.record({ type: fc.constantFrom('Resend', 'Recover'), request: few(resendRequestId, 'req_'), at: text }),
  fc.record({
    type: fc.constant('StopAttempts' as const),
    reason: fc.constantFrom('no_webhook_url' as const, 'key_inactive' as const),
    at,
  }),
);

describe('a command decided twice adds nothing the second time', () => {
  test('to an allotment', () => decidedTwice(allotmentDecider, allotmentCommand));
  test('to a booking', () => decidedTwice(bookingDecider, bookingCommand));
  test('to a delivery', () => decidedTwice(deliveryDecider, deliveryCommand));
  test('to a hold', () => decidedTwice(holdDecider, holdCommand));
  test('to a guest', () => decidedTwice(guestDecider, guestCommand));
  test('to a catalogue entry', () => decidedTwice(activityDecider, activityCommand));
  test('to an API key', () => decidedTwice(apiKeyDecider, apiKeyCommand));
  test('to the devices of a venue', () => decidedTwice(venueDecider, venueCommand));
  test('to a context log', () => decidedTwice(recommendationDecider, recommendationCommand));
  test('to the audit', () => decidedTwice(auditDecider, auditCommand));

  test('to the scans of a gate device', () => decidedTwice(scanDecider, scanCommand));
});

test('an allotment counts exactly its claims and holds, and never more than its capacity', () => {
  fc.assert(
    fc.property(fc.array(allotmentCommand, { maxLength: 60, size: 'max' }), (commands) => {
      let state = allotmentDecider.initial;
      for (const next of commands) {
        const decision = allotmentDecider.decide(next, state);
        const before = state.status === 'open' ? state.taken : 0;
        if (decision.kind === 'accepted') state = fold(allotmentDecider, decision.events, state);
        if (state.status === 'unopened') continue;
        const claims = [...state.claims.entries()].map(([, { size, released }]) => (released ? 0 : size));
        const holds = [...state.holds.entries()].map(([, { size, status }]) => (status === 'open' ? size : 0));
        const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
        expect([state.taken, state.held]).toEqual([sum(claims) + sum(holds), sum(holds)]);
        expect(state.held >= 0 && state.held <= state.taken).toBe(true);
        // A schedule, or its return, may offer less than is taken; then nothing more is.
        const { capacity } = effectiveTerms(state, state.schedule);
        expect(state.taken <= Math.max(before, capacity)).toBe(true);
        expect(freeSlots(state, state.schedule)).toBe(Math.max(0, capacity - state.taken));
      }
    }),
  );
});
