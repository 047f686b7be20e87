import { type Allotment, type Hold, type HoldId, holdIn } from '../domain/allotment/allotment.ts';
import type { KeyId } from '../domain/booking/booking.ts';
import { type HoldFacts, parseHoldId } from '../domain/hold/hold.ts';
import type { BookingContext } from './booking-context.ts';
import { holdUnknown } from './explain-hold.ts';
import { type Refused, serviceUnavailable } from './refusal.ts';

/** What was asked to be held. Whether it was, and what became of it, is the allotment's to say. */
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

/** What a hold of the caller's own key asks for. Of another key's hold nothing is told, not even that it exists. */
export async function readAskedHold(
  id: string,
  keyId: KeyId,
  { streams, clock, limits }: Reading,
): Promise<AskedHold | Refused> {
  const parsed = parseHoldId(id);
  if (parsed === null) return holdUnknown(id);
  const reply = await streams.holds.read(parsed, clock.nowMs() + limits.responseMs);
  if (reply.kind === 'unavailable') return serviceUnavailable(reply.reason);
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
  if (reply.kind !== 'state') return serviceUnavailable(reply.kind === 'erased' ? 'erased' : reply.reason);
  return { kind: 'allotment', allotment: reply.state };
}
