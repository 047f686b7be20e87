import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import type { ActivityId, LocalDate } from '../activity/activity.ts';
import type { AllotmentId, HoldId } from '../allotment/allotment.ts';
import type { Fingerprint, KeyId } from '../booking/booking.ts';

/** What was asked to be held, and by whom. What became of it is the allotment's to say. */
export type HoldFacts = {
  readonly hold: HoldId;
  readonly keyId: KeyId;
  readonly fingerprint: Fingerprint;
  readonly activityId: ActivityId;
  readonly date: LocalDate;
  readonly allotment: AllotmentId;
  readonly numAdults: number;
  readonly numChildren: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** These types are the storage format. */
export type HoldEvent = { readonly type: 'HoldAsked'; readonly data: HoldFacts };

export type HoldCommand = { readonly type: 'AskHold'; readonly facts: HoldFacts };

/** The Idempotency-Key that the hold is named after stands for another wish. */
export type HoldRejection = { readonly code: 'HOLD_DIFFERS' };

/** A hold's id from the 20 base32 characters that make it one. */
export function holdId(part: string): HoldId {
  return `hd_${part.toLowerCase()}` as HoldId;
}

/** A text as a hold id, null where it has not the form of one. */
export function parseHoldId(text: string): HoldId | null {
  return /^hd_[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as HoldId) : null;
}

export type HoldAsk = { readonly status: 'none' } | { readonly status: 'asked'; readonly facts: HoldFacts };

/**
 * Written before the slots are held, so that on every node one Idempotency-Key means one wish, and so that a hold's id
 * says whose it is and where its slots are.
 */
export const holdDecider: Decider<HoldCommand, HoldAsk, HoldEvent, HoldRejection> = {
  initial: { status: 'none' },
  decide({ facts }, state) {
    if (state.status === 'none') return accept<HoldEvent>({ type: 'HoldAsked', data: facts });
    return state.facts.fingerprint === facts.fingerprint ? accept() : reject({ code: 'HOLD_DIFFERS' });
  },
  evolve: (_state, { data }) => ({ status: 'asked', facts: data }),
};

export const holdCodec = codec<HoldEvent>('hold', { HoldAsked: [] });
