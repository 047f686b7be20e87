import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import type { ActivityId, LocalDate } from '../activity/activity.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { AllotmentId, Fingerprint, HoldId, KeyId } from '../ids.ts';

/** A request for a hold and its owner. The allotment knows the hold's status. */
export type HoldFacts = {
  readonly hold: HoldId;
  readonly keyId: KeyId;
  readonly fingerprint: Fingerprint;
  readonly activityId: ActivityId;
  readonly date: LocalDate;
  readonly allotment: AllotmentId;
  readonly numAdults: number;
  readonly numChildren: number;
  /**
   * Price per guest and end (ms since the epoch, exclusive) at the request. The allotment decides both; these are answered
   * after it has forgotten the hold. Null: stored by a release whose allotments forgot nothing.
   */
  readonly offered: { readonly pricing: Pricing; readonly expiresAtMs: number } | null;
  /** Number of the allotment's releases at the request. */
  readonly releasesSeen: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** These types are the storage format. */
export type HoldEvent = { readonly type: 'HoldAsked'; readonly data: HoldFacts };

export type HoldCommand = { readonly type: 'AskHold'; readonly facts: HoldFacts };

/** The hold's Idempotency-Key was used with another request body. */
export type HoldRejection = { readonly code: 'HOLD_DIFFERS' };

export type HoldAsk = { readonly status: 'none' } | { readonly status: 'asked'; readonly facts: HoldFacts };

/**
 * Appended before the slots are held, so that an Idempotency-Key means one request on all nodes, and so that the owner
 * and the allotment can be found by the hold's id.
 */
export const holdDecider: Decider<HoldCommand, HoldAsk, HoldEvent, HoldRejection> = {
  initial: { status: 'none' },
  decide({ facts }, state) {
    if (state.status === 'none') return accept<HoldEvent>({ type: 'HoldAsked', data: facts });
    return state.facts.fingerprint === facts.fingerprint ? accept() : reject({ code: 'HOLD_DIFFERS' });
  },
  evolve: (_state, { data }) => ({ status: 'asked', facts: data }),
};

/** In version 1 allotments forgot nothing. */
const withoutOffer: Upcaster = (facts) => ({ ...facts, offered: null, releasesSeen: 0 });

export const holdCodec = codec<HoldEvent>('hold', { HoldAsked: [withoutOffer] });
