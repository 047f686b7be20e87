import { type Allotment, type Hold, holdIn } from '../../domain/allotment/state.ts';
import { type HoldFacts, parseHoldId } from '../../domain/hold/hold.ts';
import type { HoldId, KeyId } from '../../domain/ids.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { noReply, type Refused } from '../refusal.ts';
import { holdUnknown } from './explain-hold.ts';

/** What a request asked to hold. Only the allotment records whether it was held, and how the hold ended. */
export type AskedHold = { readonly kind: 'asked'; readonly id: HoldId; readonly facts: HoldFacts };

/** A hold as its streams tell it at this moment. */
export type HoldView = {
  readonly kind: 'hold';
  readonly id: HoldId;
  readonly facts: HoldFacts;
  readonly hold: Hold;
};

type Reading = Pick<BookingContext, 'streams' | 'clock' | 'limits'>;

/** One hold of the caller's own key, read at its latest. */
export async function readHold(id: string, keyId: KeyId, context: Reading): Promise<HoldView | Refused> {
  const asked = await readAskedHold(id, keyId, context);
  if (asked.kind === 'refused') return asked;
  const read = await readAllotmentOf(asked.facts, context);
  if (read.kind === 'refused') return read;
  const hold = holdIn(read.allotment, asked.id);
  return hold === undefined ? holdUnknown(id) : { kind: 'hold', id: asked.id, facts: asked.facts, hold };
}

/** Reads what a hold of the caller's key asks for. Refuses another key's hold as unknown, to hide that it exists. */
export async function readAskedHold(
  id: string,
  keyId: KeyId,
  { streams, clock, limits }: Reading,
): Promise<AskedHold | Refused> {
  const parsed = parseHoldId(id);
  if (parsed === null) return holdUnknown(id);
  const reply = await streams.holds.read(parsed, clock.nowMs() + limits.responseMs);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'erased' || reply.state.status === 'none' || reply.state.facts.keyId !== keyId)
    return holdUnknown(id);
  return { kind: 'asked', id: parsed, facts: reply.state.facts };
}

/** The allotment that a hold's slots are of, at its latest. */
export async function readAllotmentOf(
  { allotment: id }: Pick<HoldFacts, 'allotment'>,
  { streams, clock, limits }: Reading,
): Promise<{ readonly kind: 'allotment'; readonly allotment: Allotment } | Refused> {
  const reply = await streams.allotments.read(id, clock.nowMs() + limits.responseMs);
  if (reply.kind !== 'state') return noReply(reply);
  return { kind: 'allotment', allotment: reply.state };
}
