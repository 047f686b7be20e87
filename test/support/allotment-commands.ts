import fc from 'fast-check';
import type { AllotmentCommand } from '../../src/domain/allotment/commands.ts';
import { A_DEAL_POLICY, aSchedule, bookingId, claimId, commandId, fingerprint, holdId, keyId } from './examples.ts';

// Few ids and values, so that generated commands often repeat or nearly repeat each other.
const few = <Name>(brand: (text: string) => Name, prefix: string) =>
  fc.integer({ min: 1, max: 3 }).map((number) => brand(`${prefix}${number}`));
const anyClaimId = few(claimId, 'claim_');
const anyHoldId = few(holdId, 'hold_');
const anyBookingId = few(bookingId, 'bk_');
const anyCancellation = few(commandId, 'CMD');
const anyTaker = fc.record({ keyId: few(keyId, 'key_'), share: fc.constantFrom(null, 0.25, 1) });
/** None, the full price of one or two slots, or a total that no claim has. */
const anyExpectation = fc.constantFrom(null, null, 99_000, 198_000, 1);

/** On the allotment's date, and the evening before. */
const LAST_ENTRY_MS = Date.parse('2026-12-24T10:00:00Z');
export const dealMoment = fc
  .integer({ min: -5, max: 24 })
  .map((hours) => Date.parse('2026-12-23T20:00:00Z') + hours * 3_600_000);
/** The schedule in different catalogue revisions. */
export const knownSchedule = fc.constantFrom(
  aSchedule(),
  aSchedule({ catalogueRevision: 1, capacity: 4, unitPriceMinor: 75_000 }),
  aSchedule({ catalogueRevision: 2, capacity: 20 }),
);

/** Any command of an allotment. */
export const allotmentCommand: fc.Arbitrary<AllotmentCommand> = fc.oneof(
  fc.record({
    type: fc.constant('ClaimSlots' as const),
    claimId: anyClaimId,
    bookingId: anyBookingId,
    size: fc.integer({ min: 1, max: 6 }),
    deadlineMs: fc.nat(),
    hotelPercentOff: fc.constantFrom(0, 10, 45),
    expectedTotalMinor: anyExpectation,
    nowMs: dealMoment,
    schedule: knownSchedule,
    releasesSeen: fc.constant(0),
    unpaid: fc.option(anyTaker),
  }),
  fc.record({ type: fc.constant('RecordPaid' as const), claimId: anyClaimId }),
  fc.record({ type: fc.constant('ReleaseSlots' as const), claimId: anyClaimId }),
  fc.record({
    type: fc.constant('HoldSlots' as const),
    holdId: anyHoldId,
    size: fc.integer({ min: 1, max: 4 }),
    holder: anyTaker,
    expiresAtMs: fc.constantFrom(1, 2),
    hotelPercentOff: fc.constantFrom(0, 10),
    nowMs: dealMoment,
    schedule: knownSchedule,
    releasesSeen: fc.constant(0),
  }),
  fc.record({
    type: fc.constant('TakeHold' as const),
    holdId: anyHoldId,
    claimId: anyClaimId,
    bookingId: anyBookingId,
    size: fc.integer({ min: 1, max: 4 }),
    deadlineMs: fc.nat(),
    expectedTotalMinor: anyExpectation,
    nowMs: fc.constantFrom(0, 1),
    releasesSeen: fc.constant(0),
    unpaid: fc.option(anyTaker),
  }),
  fc.record({ type: fc.constant('ReleaseHold' as const), holdId: anyHoldId }),
  fc.record({
    type: fc.constant('ShrinkClaim' as const),
    claimId: anyClaimId,
    left: fc.nat(4),
    version: fc.integer({ min: 2, max: 5 }),
  }),
  fc.record(
    {
      type: fc.constant('SetTerms' as const),
      capacity: fc.option(fc.nat(12)),
      unitPriceMinor: fc.option(fc.constantFrom(80_000, 120_000)),
      deal: fc.option(fc.record({ discountPercent: fc.constantFrom(30, 45), expiresAtMs: dealMoment })),
      schedule: knownSchedule,
    },
    { requiredKeys: ['type', 'schedule'] },
  ),
  fc.record({
    type: fc.constant('ReviewDeal' as const),
    policy: fc.constant(A_DEAL_POLICY),
    lastEntryMs: fc.constant(LAST_ENTRY_MS),
    nowMs: dealMoment,
    schedule: knownSchedule,
  }),
  fc.record({
    type: fc.constant('CancelDate' as const),
    commandId: anyCancellation,
    fingerprint: few(fingerprint, 'FP'),
    reason: fc.constantFrom('weather' as const, 'system' as const),
    at: fc.constant('2026-12-23T22:10:00.000Z'),
    schedule: knownSchedule,
  }),
  fc.record({
    type: fc.constant('SettleBooking' as const),
    commandId: anyCancellation,
    bookingId: anyBookingId,
    outcome: fc.constantFrom('cancelled' as const, 'visited' as const, 'gone' as const),
    refundMinor: fc.nat(100),
  }),
  fc.record({
    type: fc.constant('FinishCancellation' as const),
    commandId: anyCancellation,
    at: fc.constant('2026-12-23T22:10:04.000Z'),
  }),
);
