import { OrderedMap } from '../../collections/ordered-map.ts';
import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, fold, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { convertUp, type ExchangeRates } from '../activity/exchange.ts';
import type { Currency } from '../activity/money.ts';
import type { BookingId, ClaimId } from '../ids.ts';
import {
  type Reserve,
  type Spending,
  type SpendingCommand,
  type SpendingEvent,
  type SpendingRejection,
  WARNING_PERCENT,
} from './spending.ts';

type Decided = Decision<SpendingEvent, SpendingRejection>;
type Command<Type extends SpendingCommand['type']> = Extract<SpendingCommand, { type: Type }>;

export const spendingDecider: Decider<SpendingCommand, Spending, SpendingEvent, SpendingRejection> = {
  initial: {
    reservations: new OrderedMap(),
    eased: new OrderedMap(),
    easedAt: new OrderedMap(),
    totals: {},
    warning: null,
  },
  decide(command, spending) {
    switch (command.type) {
      case 'Reserve':
        return reserve(command, spending);
      case 'Release':
        return release(command, spending);
      case 'Ease':
        return ease(command, spending);
      case 'RecordWarningMailed':
      case 'RecordWarningMailFailed':
        return recordMail(command, spending);
      default:
        return unreachable(command);
    }
  },
  evolve(spending, event) {
    const { reservations, eased, easedAt, warning } = spending;
    switch (event.type) {
      case 'SpendingReserved': {
        const { booking, claim, amountMinor, currency } = event.data;
        const before = reservations.get(claim)?.amountMinor ?? 0;
        const reservation = { booking, amountMinor, currency, released: false };
        return {
          ...added(spending, currency, amountMinor - before),
          reservations: reservations.with(claim, reservation),
        };
      }
      case 'SpendingReleased': {
        const { claim } = event.data;
        const reservation = reservations.get(claim);
        if (reservation === undefined) return spending;
        return {
          ...added(spending, reservation.currency, -reservation.amountMinor),
          reservations: reservations.with(claim, { ...reservation, released: true }),
        };
      }
      case 'SpendingEased': {
        const { booking, revision, amountMinor, currency } = event.data;
        return {
          ...added(spending, currency, -amountMinor),
          eased: eased.with(booking, (eased.get(booking) ?? 0) + amountMinor),
          easedAt: easedAt.with(easingKey(booking, revision), true),
        };
      }
      case 'SpendingWarned': {
        const { at: _at, ...warned } = event.data;
        return { ...spending, warning: { ...warned, mail: { status: 'unsent' } } };
      }
      case 'SpendingWarningWithdrawn':
        return { ...spending, warning: null };
      case 'SpendingWarningMailed':
        return warning === null ? spending : { ...spending, warning: { ...warning, mail: { status: 'ended' } } };
      case 'SpendingWarningMailFailed': {
        if (warning === null) return spending;
        const { attempt, messageId, retryAtMs } = event.data;
        const mail =
          retryAtMs === null
            ? ({ status: 'ended' } as const)
            : ({ status: 'failing', attempts: attempt, messageId } as const);
        return { ...spending, warning: { ...warning, mail } };
      }
      default:
        return unreachable(event);
    }
  },
};

export const spendingCodec = codec<SpendingEvent>('spending', {
  SpendingReserved: [],
  SpendingReleased: [],
  SpendingEased: [],
  SpendingWarned: [],
  SpendingWarningWithdrawn: [],
  SpendingWarningMailed: [],
  SpendingWarningMailFailed: [],
});

/** The use in minor units of a currency. Each currency's sum is rounded up. */
export function useIn(currency: Currency, { totals }: Pick<Spending, 'totals'>, rates: ExchangeRates): number {
  const sums = Object.entries(totals) as [Currency, number][];
  return sums.reduce((use, [of, amountMinor]) => use + convertUp({ amountMinor, currency: of }, currency, rates), 0);
}

/** The spending with another amount, in minor units. */
export function added(spending: Spending, currency: Currency, amountMinor: number): Spending {
  const { totals } = spending;
  return { ...spending, totals: { ...totals, [currency]: (totals[currency] ?? 0) + amountMinor } };
}

/** Refuses what would exceed the limit. A reservation that becomes smaller is never refused. */
function reserve(command: Reserve, spending: Spending): Decided {
  const { booking, claim, allotment, amountMinor, currency, exact, bound, rates, deadlineMs, at } = command;
  const known = spending.reservations.get(claim);
  if (known?.released) return reject({ code: 'RESERVATION_RELEASED' });
  if (known !== undefined && (!exact || known.amountMinor === amountMinor)) return accept();
  if (known === undefined && amountMinor === 0) return accept();
  const data = { booking, claim, allotment, amountMinor, currency, deadlineMs, at };
  const reserved: SpendingEvent = { type: 'SpendingReserved', data };
  const after = spendingDecider.evolve(spending, reserved);
  const useMinor = useIn(bound.currency, after, rates);
  const replacedMinor = known?.amountMinor ?? 0;
  if (useMinor > bound.amountMinor && amountMinor > replacedMinor) {
    const others = added(spending, currency, -replacedMinor);
    return reject({ code: 'OVER_DAY_TOTAL', useMinor: useIn(bound.currency, others, rates) });
  }
  if (spending.warning !== null || !warns(useMinor, bound.amountMinor)) return accept(reserved);
  const warned = { useMinor, boundMinor: bound.amountMinor, currency: bound.currency, rates, mailAtMs: deadlineMs, at };
  return accept<SpendingEvent>(reserved, { type: 'SpendingWarned', data: warned });
}

/** Also withdraws a warning that is not mailed yet, if it was due to this reservation. */
function release({ claim, at }: Command<'Release'>, spending: Spending): Decided {
  const known = spending.reservations.get(claim);
  if (known === undefined || known.released) return accept();
  const released: SpendingEvent = { type: 'SpendingReleased', data: { claim, at } };
  const { warning } = spending;
  if (warning?.mail.status !== 'unsent') return accept(released);
  const after = fold(spendingDecider, [released], spending);
  if (warns(useIn(warning.currency, after, warning.rates), warning.boundMinor)) return accept(released);
  return accept<SpendingEvent>(released, { type: 'SpendingWarningWithdrawn', data: { at } });
}

function ease({ booking, claims, revision, amountMinor, currency, at }: Command<'Ease'>, spending: Spending): Decided {
  if (spending.easedAt.get(easingKey(booking, revision)) !== undefined) return accept();
  const eased = Math.min(amountMinor, countedOf(booking, claims, spending));
  if (eased <= 0) return accept();
  return accept({ type: 'SpendingEased', data: { booking, revision, amountMinor: eased, currency, at } });
}

/** The amount that still counts for the given claims of a booking, in minor units. */
function countedOf(booking: BookingId, claims: readonly ClaimId[], { reservations, eased }: Spending): number {
  const reserved = claims.reduce((sum, claim) => {
    const reservation = reservations.get(claim);
    return reservation === undefined || reservation.released ? sum : sum + reservation.amountMinor;
  }, 0);
  return reserved - (eased.get(booking) ?? 0);
}

/** Ignores mails of a withdrawn warning, and attempts that are recorded already. */
function recordMail(
  command: Command<'RecordWarningMailed' | 'RecordWarningMailFailed'>,
  { warning }: Spending,
): Decided {
  if (warning === null || warning.mail.status === 'ended') return accept();
  const { messageId, at } = command;
  if (command.type === 'RecordWarningMailed')
    return accept({ type: 'SpendingWarningMailed', data: { messageId, providerId: command.providerId, at } });
  const { attempt, reason, retryAtMs } = command;
  if (warning.mail.status === 'failing' && attempt <= warning.mail.attempts) return accept();
  return accept({ type: 'SpendingWarningMailFailed', data: { messageId, attempt, reason, retryAtMs, at } });
}

function warns(useMinor: number, boundMinor: number): boolean {
  return BigInt(useMinor) * 100n >= BigInt(boundMinor) * BigInt(WARNING_PERCENT);
}

function easingKey(booking: BookingId, revision: number): string {
  return `${booking} ${revision}`;
}
