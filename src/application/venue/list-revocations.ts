import type { BookingDocument } from '../../../projections/bookings/read-model.ts';
import { MAX_REVOCATIONS, revocationsOf } from '../../../projections/revocations/query.ts';
import type { LocalDate, VenueId } from '../../domain/activity/activity.ts';
import type { BookingStatus } from '../../domain/booking/state.ts';
import { type Mode, modeOf } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { type Revocation, signRevocationList } from '../../vouchers/revocation-list.ts';
import type { SigningKey } from '../../vouchers/signing-key.ts';
import { noReply, type Refused, refused, serviceUnavailable } from '../refusal.ts';
import type { Streams } from '../streams.ts';

const READ_MS = 10_000;
/** Maximum time that a list waits for its read model, which usually is a moment behind the log. */
const CATCH_UP_MS = 2_000;
const UNCONFIRMED: ReadonlySet<BookingStatus> = new Set(['processing', 'pending']);

type Context = {
  readonly streams: Pick<Streams, 'bookings'>;
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  readonly collection: (projection: 'revocations' | 'bookings') => Promise<string>;
  /** False if the read model has not passed the present end of the log within the time. */
  readonly caughtUp: (projection: 'revocations', timeoutMs: number) => Promise<boolean>;
  readonly signingKeys: { readonly current: SigningKey };
  readonly clock: Clock;
};

type RevocationList = {
  readonly kind: 'list';
  /** Ms since the epoch. */
  readonly issuedAtMs: number;
  readonly count: number;
  readonly signed: string;
};

/** The vouchers that a venue's gates must not admit on a date although their tokens are signed and not expired. */
export async function listRevocations(
  { venueId, date, mode }: { readonly venueId: VenueId; readonly date: LocalDate; readonly mode: Mode },
  { readModels, collection, caughtUp, streams, signingKeys, clock }: Context,
): Promise<RevocationList | Refused> {
  const issuedAtMs = clock.nowMs();
  // A gate trusts the list up to its time. Without this answer it keeps an older list, and knows that it is old.
  if (!(await caughtUp('revocations', CATCH_UP_MS)))
    return serviceUnavailable('catching up', { call: 'wait for the read model revocations' });
  const found = await revocationsOf(readModels, await collection('revocations'), { venueId, date });
  if (found === null) {
    return refused(
      'INVALID_REQUEST',
      `More than ${MAX_REVOCATIONS} bookings of ${date} were cancelled or changed; verify every voucher online on this date.`,
    );
  }
  const revoked = found.filter(({ bookingId }) => modeOf(bookingId) === mode);
  const bookings = await readModels.load(
    await collection('bookings'),
    revoked.map(({ bookingId }) => bookingId),
  );
  const revocations: Revocation[] = [];
  for (const { bookingId, revision, cancelled } of revoked) {
    // Only the projection's fold writes documents to this collection.
    const listed = (bookings.get(bookingId)?.doc ?? null) as BookingDocument | null;
    let voucher = listed?.voucher ?? null;
    if (voucher === null && (listed === null || UNCONFIRMED.has(listed.status))) {
      // The read model of bookings may be a moment behind that of revocations.
      const reply = await streams.bookings.read(bookingId, issuedAtMs + READ_MS);
      if (reply.kind !== 'state') return noReply(reply);
      voucher = reply.state.status === 'none' ? null : reply.state.voucher;
    }
    // Without a voucher there is nothing to revoke: the booking was never confirmed.
    if (voucher !== null) revocations.push({ code: voucher.code, from: cancelled ? null : revision });
  }
  const signed = signRevocationList({ venueId, date, issuedAtMs, revocations }, signingKeys.current);
  return { kind: 'list', issuedAtMs, count: revocations.length, signed };
}
