import { cancelBooking } from '../../application/booking/cancel-booking.ts';
import { modifyBooking } from '../../application/booking/modify-booking.ts';
import { confirmRequest, eraseGuest, rejectRequest } from '../../application/booking/operate-booking.ts';
import { releaseSlots } from '../../application/booking/release-slots.ts';
import { creditVisit, seenVisit } from '../../application/learning/credit-visit.ts';
import type { Refused } from '../../application/refusal.ts';
import { registerDevice } from '../../application/venue/manage-devices.ts';
import { verifyVoucher } from '../../application/voucher/verify-voucher.ts';
import type { LocalDate, VenueId } from '../../domain/activity/activity.ts';
import { CANCELLATION_REASONS } from '../../domain/booking/events.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { guestCodec, guestId } from '../../domain/guest/guest.ts';
import type { BookingId, DeviceId } from '../../domain/ids.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../eventsourcing/durations.ts';
import { creditVisits } from '../../processes/credit-visits/process-manager.ts';
import { endOverdueBookings } from '../../processes/end-overdue-bookings/process-manager.ts';
import { GUEST_RETENTION } from '../../processes/erase-expired-guests/run.ts';
import { reapClaims } from '../../processes/reap-claims/process-manager.ts';
import { identifyAttempt } from '../../processes/run-pending-mails.ts';
import { sendBookingMails } from '../../processes/send-booking-mails/process-manager.ts';
import type { Moment, SimulatedService } from './simulated-service.ts';
import type { StepQueue } from './step-queue.ts';
import { dateWithRoom } from './wishes.ts';

/** Probabilities of what follows a booking. */
const CONFIRMED_BY_VENUE = 0.8;
const REJECTED_BY_VENUE = 0.5;
const MODIFIED = 0.08;
const MOVED = 0.4;
const CANCELLED = 0.12;
const CANCELLED_BY_USER = 0.85;
const VISITED = 0.9;
const SCANNED_WITH_KEY = 0.2;
const ERASED = 0.000_2;

const MEAN_ANSWER_MS = 4 * HOUR_MS;
const LONGEST_MAIL_MS = 20 * SECOND_MS;
/** A guest's data is erased so long after the visit, at the longest. */
const ERASED_WITHIN_MS = 60 * DAY_MS;
/** Deadline of a command, for callers whose time does not pass meanwhile. */
const DECISION_MS = 10_000;

/** A booking as its last answer showed it. */
export type Known = { readonly id: BookingId; readonly booking: ExistingBooking; readonly revision: number };

/** Counts of a history, for its summary. */
export type Counts = Record<'booked' | 'modified' | 'cancelled' | 'rejected' | 'visited' | 'erased', number>;

/** What happens to a booking after it was made. Each step is planned when the one before it has ended. */
export class BookingLife {
  readonly counts: Counts = { booked: 0, modified: 0, cancelled: 0, rejected: 0, visited: 0, erased: 0 };
  readonly #service: SimulatedService;
  readonly #steps: StepQueue;
  /** No step is later, in ms since the epoch. */
  readonly #lastMs: number;
  readonly #devices = new Map<VenueId, Promise<DeviceId>>();

  constructor(service: SimulatedService, steps: StepQueue, lastMs: number) {
    [this.#service, this.#steps, this.#lastMs] = [service, steps, lastMs];
  }

  /** Continues with a new booking, confirmed or placed on request. */
  async began(known: Known, moment: Moment): Promise<void> {
    this.counts.booked++;
    if (known.booking.status !== 'pending') return this.#confirmed(known, moment);
    await this.#mailNotice(known, moment);
    this.#planAnswer(known, known.booking.answerByMs, moment);
  }

  #planAnswer({ id }: Known, answerByMs: number, { random, ...moment }: Moment): void {
    const answers = random.chance(CONFIRMED_BY_VENUE) ? 'confirms' : random.chance(REJECTED_BY_VENUE) ? 'rejects' : '-';
    const soonMs = Math.min(moment.nowMs() + random.exponential(MEAN_ANSWER_MS), answerByMs - 1, this.#lastMs);
    // Every request is answered before the history ends.
    const silent = answers === '-' && answerByMs <= this.#lastMs;
    this.#steps.add(silent ? answerByMs : soonMs, random.fork(), async (then) => {
      if (silent) return this.#endUnanswered(id, then);
      if (answers === 'confirms') return this.#confirmedByVenue(id, then);
      const request = { id, reason: 'venue_unavailable' } as const;
      await this.#mailNotice(unrefused(await rejectRequest(request, then.cause('admin'), then.context)), then);
      this.counts.rejected++;
      this.#planRetention(id, then.nowMs(), then);
    });
  }

  async #confirmedByVenue(id: BookingId, moment: Moment): Promise<void> {
    const confirmed = await confirmRequest({ id, ifVersions: null }, moment.cause('admin'), moment.context);
    await this.#confirmed(unrefused(confirmed), moment);
  }

  /** As the process manager of overdue bookings and the claim reaper do it. */
  async #endUnanswered(id: BookingId, moment: Moment): Promise<void> {
    const { streams } = moment.context;
    const cause = moment.cause(endOverdueBookings.name);
    const reject = {
      type: 'Reject',
      reason: 'system',
      code: 'ACTIVITY_UNAVAILABLE',
      by: 'system',
      at: cause.at,
    } as const;
    const deadlineMs = moment.nowMs() + DECISION_MS;
    const reply = await streams.bookings.handle(id, reject, cause, deadlineMs);
    if (reply.kind !== 'accepted') throw new Error(`${id} was not rejected: ${reply.kind}`);
    const dropped = reply.events.flatMap((event) => (event.type === 'BookingRejected' ? event.data.dropped : []));
    const released = { dropped, shrunk: [], version: 0 };
    await releaseSlots(released, moment.cause(reapClaims.name), deadlineMs, streams);
    if (reply.state.status !== 'none') await this.#mailNotice({ id, booking: reply.state }, moment);
    this.counts.rejected++;
    this.#planRetention(id, Date.parse(cause.at), moment);
  }

  async #confirmed(known: Known, moment: Moment): Promise<void> {
    await this.#mailVoucher(known, moment);
    const { random } = moment;
    const opensAtMs = known.booking.hours?.opensAtMs ?? 0;
    const span = opensAtMs - moment.nowMs();
    if (span <= 0 || !random.chance(MODIFIED)) return this.#planEnd(known, moment);
    this.#steps.add(moment.nowMs() + random.fraction() * span, random.fork(), (then) => this.#modify(known, then));
  }

  /** The mail is recorded, not sent. */
  async #mailVoucher({ id, booking, revision }: Known, moment: Moment): Promise<void> {
    const { mail } = booking;
    if (booking.voucher === null || mail.status !== 'unsent') return;
    moment.pass(moment.random.below(LONGEST_MAIL_MS));
    const { messageId, issue } = identifyAttempt(mail, id, mail.issue, this.#service.config.mail);
    const cause = moment.cause(sendBookingMails.name);
    // The address is not read: each guest counts as another one.
    const recipient = booking.facts.guest;
    const mailed = { messageId, issue, providerId: null, recipient, at: cause.at };
    const command = { type: 'RecordVoucherMailed', ...mailed } as const;
    const known = { state: booking, revision };
    const deadlineMs = moment.nowMs() + DECISION_MS;
    const reply = await moment.context.streams.bookings.handle(id, command, cause, deadlineMs, { known });
    if (reply.kind !== 'accepted') throw new Error(`the mail of ${id} was not recorded: ${reply.kind}`);
  }

  /** The same of a notice to the guest. No venue of a history has a contact. */
  async #mailNotice({ id, booking }: Pick<Known, 'id' | 'booking'>, moment: Moment): Promise<void> {
    const notice = booking.notices.guest;
    if (notice?.status !== 'unsent') return;
    const { kind, version } = notice;
    const { messageId } = identifyAttempt(notice, `${id}.${kind}`, version, this.#service.config.mail);
    const cause = moment.cause(sendBookingMails.name);
    const mailed = { kind, version, messageId, providerId: null, recipient: booking.facts.guest, at: cause.at };
    const command = { type: 'RecordNoticeMailed', ...mailed } as const;
    const reply = await moment.context.streams.bookings.handle(id, command, cause, moment.nowMs() + DECISION_MS);
    if (reply.kind !== 'accepted') throw new Error(`the notice of ${id} was not recorded: ${reply.kind}`);
  }

  async #modify({ id, booking }: Known, moment: Moment): Promise<void> {
    const { keyId } = booking.facts;
    const { maxGuests } = this.#service.config.guestLimits;
    const none = { date: null, numAdults: null, numChildren: null, name: null, email: null };
    const request = {
      ...none,
      id,
      asker: keyId,
      maxGuests,
      idempotencyKey: null,
      ifVersions: null,
      expectedTotal: null,
    };
    const changes = { ...request, specialRequests: undefined, ...this.#changeOf(booking, moment) };
    const modified = await modifyBooking(changes, moment.cause(keyId), moment.context);
    if (modified.kind === 'refused') return this.#planEnd({ id, booking, revision: 0 }, moment);
    this.counts.modified++;
    await this.#releaseRecord(modified, booking, moment);
    await this.#mailVoucher(modified, moment);
    this.#planEnd(modified, moment);
  }

  /** Releases a claim that only carried the guest's new record, as the claim reaper does it. */
  async #releaseRecord({ booking }: Known, before: ExistingBooking, moment: Moment): Promise<void> {
    const { guestRecord: id, facts } = booking;
    const [named] = facts.claims;
    if (id === before.guestRecord || named === undefined || facts.claims.some((claim) => claim.id === id)) return;
    const released = { dropped: [{ allotment: named.allotment, id, size: 0 }], shrunk: [], version: booking.version };
    const deadlineMs = moment.nowMs() + DECISION_MS;
    await releaseSlots(released, moment.cause(reapClaims.name), deadlineMs, moment.context.streams);
  }

  /** Another date, one adult more or less, or another mail address. */
  #changeOf(booking: ExistingBooking, moment: Moment) {
    const { facts } = booking;
    const { random } = moment;
    const activity = this.#service.views.catalogue.get(facts.activityId)?.activity;
    if (activity !== undefined && random.chance(MOVED)) {
      const date: LocalDate | null = dateWithRoom(activity, guestsOf(facts), moment, this.#service);
      if (date !== null) return { date };
    }
    const change = random.pick(['more', 'fewer', 'email'] as const);
    if (change === 'more') return { numAdults: facts.numAdults + 1 };
    if (change === 'fewer' && facts.numAdults > 1) return { numAdults: facts.numAdults - 1 };
    return { email: `guest-${random.uint32()}@moved.example` };
  }

  /** A cancellation, a visit, or neither. */
  #planEnd({ id, booking }: Known, moment: Moment): void {
    const { random } = moment;
    const { hours, voucher } = booking;
    if (hours === null || voucher === null) throw new Error(`${id} is confirmed without hours or voucher`);
    const span = hours.opensAtMs - moment.nowMs();
    if (span > 0 && random.chance(CANCELLED)) {
      const atMs = moment.nowMs() + random.fraction() * span;
      this.#steps.add(atMs, random.fork(), (then) => this.#cancel({ id, booking }, then));
    } else if (random.chance(VISITED)) {
      const fromMs = Math.max(hours.opensAtMs, moment.nowMs());
      const atMs = fromMs + random.fraction() * (hours.closesAtMs - fromMs);
      this.#steps.add(atMs, random.fork(), (then) => this.#visit({ id, booking }, voucher.code, then));
    } else this.#planRetention(id, hours.closesAtMs, moment);
  }

  async #cancel({ id, booking }: Pick<Known, 'id' | 'booking'>, moment: Moment): Promise<void> {
    const byUser = moment.random.chance(CANCELLED_BY_USER);
    const reason = byUser ? 'user_requested' : moment.random.pick(CANCELLATION_REASONS);
    const asker = byUser ? booking.facts.keyId : 'operator';
    const request = { id, asker, reason, idempotencyKey: null, ifVersions: null } as const;
    const cancelled = await cancelBooking(request, moment.cause(byUser ? asker : 'admin'), moment.context);
    await this.#mailNotice(unrefused(cancelled), moment);
    this.counts.cancelled++;
    this.#planRetention(id, moment.nowMs(), moment);
  }

  async #visit({ id, booking }: Pick<Known, 'id' | 'booking'>, code: string, moment: Moment): Promise<void> {
    const { random } = moment;
    const { venueId } = booking.facts;
    const deviceId = await this.#deviceOf(venueId, moment);
    const scan = { method: random.chance(0.9) ? 'qr_scan' : 'manual', gate: random.pick(['A', 'B', null]) } as const;
    const idempotencyKey = random.chance(SCANNED_WITH_KEY) ? moment.context.ids.uuid() : null;
    const nowMs = moment.nowMs();
    const at = { verifiedAtMs: nowMs, reportedAtMs: nowMs, sentVerifiedAt: null, uploadedSequence: null };
    const all = { dryRun: false, guestsPresent: null, mode: 'live' } as const;
    const request = { code, deviceId, venueId, ...all, ...scan, ...at, idempotencyKey };
    const { booking: visited } = unrefused(await verifyVoucher(request, moment.cause(deviceId), moment.context));
    if (visited.status !== 'completed') throw new Error(`${id} is ${visited.status} after its visit`);
    this.counts.visited++;
    if (random.chance(ERASED))
      this.#steps.add(moment.nowMs() + random.below(ERASED_WITHIN_MS), random.fork(), (then) => this.#erase(id, then));
    // Last, because its ids come from the same random sequence.
    const cause = moment.cause(creditVisits.name);
    await creditVisit(seenVisit(id, visited.visit), cause, moment.nowMs() + DECISION_MS, moment.context);
    this.#planRetention(id, visited.visit.verifiedAtMs, moment);
  }

  async #erase(id: BookingId, moment: Moment): Promise<void> {
    const { booking } = unrefused(await eraseGuest(id, moment.cause('admin'), moment.context));
    await this.#eraseRecords(booking.guestRecords);
  }

  /** The service erases the guest when the booking has ended so long ago; see `GUEST_RETENTION_DAYS`. */
  #planRetention(id: BookingId, endedAtMs: number, { random }: Moment): void {
    const { guestRetentionMs } = this.#service.config;
    if (guestRetentionMs === null) return;
    this.#steps.add(endedAtMs + guestRetentionMs, random.fork(), (then) => this.#expire(id, then));
  }

  async #expire(id: BookingId, moment: Moment): Promise<void> {
    const cause = moment.cause(GUEST_RETENTION);
    const command = { type: 'EraseGuest', by: 'system', at: cause.at } as const;
    const deadlineMs = moment.nowMs() + DECISION_MS;
    const reply = await moment.context.streams.bookings.handle(id, command, cause, deadlineMs);
    if (reply.kind !== 'accepted' || reply.state.status === 'none')
      throw new Error(`the guest of ${id} was not erased: ${reply.kind}`);
    // None if an operator has erased the guest before.
    if (reply.events.length > 0) await this.#eraseRecords(reply.state.guestRecords);
  }

  /** As the claim reaper does it. */
  async #eraseRecords(records: ExistingBooking['guestRecords']): Promise<void> {
    for (const record of records) await this.#service.store.erase(`${guestCodec.category}-${guestId(record)}`);
    this.counts.erased++;
  }

  /** The venue's gate device, registered at its first scan. */
  #deviceOf(venueId: VenueId, moment: Moment): Promise<DeviceId> {
    const registered =
      this.#devices.get(venueId) ??
      registerDevice({ venueId, name: 'Gate', mode: 'live' }, moment.cause('admin'), moment.context).then(
        (device) => unrefused(device).deviceId,
      );
    this.#devices.set(venueId, registered);
    return registered;
  }
}

/** @throws for a refusal that nothing in a history explains */
export function unrefused<T extends { readonly kind: string }>(outcome: T | Refused): Exclude<T, Refused> {
  if (isRefused(outcome)) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.error}`);
  return outcome as Exclude<T, Refused>;
}

function isRefused(outcome: { readonly kind: string }): outcome is Refused {
  return outcome.kind === 'refused';
}
