import { SNAPSHOTS } from '../../../src/application/snapshots.ts';
import { allotmentDecider, allotmentDeciderKeeping } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { Allotment } from '../../../src/domain/allotment/state.ts';
import { bookingWorkflow } from '../../../src/domain/booking/booking-workflow.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { modificationWorkflow } from '../../../src/domain/booking/modification-workflow.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import type { ClaimParts, StepResult } from '../../../src/domain/booking/workflow-step.ts';
import { guestDecider } from '../../../src/domain/guest/guest.ts';
import type { ClaimId } from '../../../src/domain/ids.ts';
import type { ProcessManager } from '../../../src/eventsourcing/process-manager.ts';
import {
  type ReapClaimsCommand,
  type ReapClaimsState,
  reapClaims,
} from '../../../src/processes/reap-claims/process-manager.ts';
import { claimId } from './requests.ts';
import type { Deciders } from './stream.ts';

export type Reaper = ProcessManager<ReapClaimsState, AllotmentEvent | BookingEvent, ReapClaimsCommand>;

/** The parts of the protocol, so that a test can replace one. */
export type Rules = {
  readonly deciders: Deciders;
  readonly book: typeof bookingWorkflow;
  readonly modify: typeof modificationWorkflow;
  readonly reaper: Reaper;
  readonly claimId: (parts: ClaimParts) => ClaimId;
  /** The step result for the booking that a node has read. */
  readonly reading: (booking: Booking) => StepResult;
  /** Whether a node knows the newest number of an allotment's releases when it begins a booking; else it knows 0. */
  readonly knowsReleases: boolean;
  /**
   * The state of an allotment that a node loads from a snapshot of its newest revision. Every append is decided on such a
   * state. `before`: the state at the revision before.
   */
  readonly snapshot: (state: Allotment, before: Allotment) => Allotment;
  /** Whether the store compares the expected revision. */
  readonly expectedRevision: boolean;
};

/** The rules in production. No search releases enough ids for an allotment to forget one, so no number of them matters. */
export const RULES: Rules = {
  deciders: { allotment: allotmentDecider, booking: bookingDecider, guest: guestDecider },
  book: bookingWorkflow,
  modify: modificationWorkflow,
  reaper: reapClaims,
  claimId,
  reading: (booking) => ({ kind: 'read', booking }),
  knowsReleases: false,
  snapshot: (state) => SNAPSHOTS.allotment.decode(SNAPSHOTS.allotment.encode(state)),
  expectedRevision: true,
};

/** An allotment forgets each id as soon as it is released. In production it does so 512 releases later. */
export const FORGETFUL: Rules = {
  ...RULES,
  deciders: { ...RULES.deciders, allotment: allotmentDeciderKeeping(0) },
  knowsReleases: true,
};
