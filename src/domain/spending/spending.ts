import type { OrderedMap } from '../../collections/ordered-map.ts';
import type { ExchangeRates } from '../activity/exchange.ts';
import type { Currency } from '../activity/money.ts';
import type { AllotmentId, BookingId, ClaimId, KeyId } from '../ids.ts';

/** The spending of one key on one day in UTC: `{key}-{day}`. */
export type SpendingId = string & { readonly __brand: 'SpendingId' };

/** `at`: ISO 8601 UTC. */
export function spendingIdOf(keyId: KeyId, at: string): SpendingId {
  return `${keyId}-${at.slice(0, 10)}` as SpendingId;
}

/** The day of a spending stream, and its key. */
export function spendingDay(id: SpendingId): { readonly keyId: KeyId; readonly day: string } {
  return { keyId: id.slice(0, -11) as KeyId, day: id.slice(-10) };
}

/** An amount in minor units of its currency. */
export type Money = { readonly amountMinor: number; readonly currency: Currency };

/** The key's owner is warned when the use reaches this share of the day's limit, in percent. */
export const WARNING_PERCENT = 80;

type MailAttempt = { readonly messageId: string; readonly at: string };
/** `attempt` counts from 1; `retryAtMs` (ms since the epoch) is null after the last one. */
type MailFailure = { readonly attempt: number; readonly reason: string; readonly retryAtMs: number | null };

/** These types are the storage format. */
export type SpendingEvent =
  /** The amount counts from here on. A later event of the same claim replaces the amount. */
  | {
      readonly type: 'SpendingReserved';
      readonly data: Money & {
        readonly booking: BookingId;
        readonly claim: ClaimId;
        readonly allotment: AllotmentId;
        /** From then on (ms since the epoch) the reservation is returned if no booking names the claim. */
        readonly deadlineMs: number;
        readonly at: string;
      };
    }
  /** No booking can name the claim, so its amount no longer counts. */
  | { readonly type: 'SpendingReleased'; readonly data: { readonly claim: ClaimId; readonly at: string } }
  /** The event at `revision` of the booking's stream refunded or dropped the amount on the same day. */
  | {
      readonly type: 'SpendingEased';
      readonly data: Money & { readonly booking: BookingId; readonly revision: number; readonly at: string };
    }
  /** The use reached the warning's share of the limit. */
  | {
      readonly type: 'SpendingWarned';
      readonly data: Warned & { readonly at: string };
    }
  /** The reservations that caused the warning were released before its mail was sent. */
  | { readonly type: 'SpendingWarningWithdrawn'; readonly data: { readonly at: string } }
  | { readonly type: 'SpendingWarningMailed'; readonly data: MailAttempt & { readonly providerId: string | null } }
  | { readonly type: 'SpendingWarningMailFailed'; readonly data: MailAttempt & MailFailure };

/** Amounts in minor units of `currency`. */
export type Warned = {
  readonly useMinor: number;
  readonly boundMinor: number;
  readonly currency: Currency;
  readonly rates: ExchangeRates;
  /** The mail is sent from then on (ms since the epoch): a reservation that is released earlier causes none. */
  readonly mailAtMs: number;
};

export type Reserve = Money & {
  readonly type: 'Reserve';
  readonly booking: BookingId;
  readonly claim: ClaimId;
  readonly allotment: AllotmentId;
  /** False for a quote, made before the claim: it does not replace the amount of an earlier reservation. */
  readonly exact: boolean;
  readonly bound: Money;
  readonly rates: ExchangeRates;
  readonly deadlineMs: number;
  readonly at: string;
};

export type SpendingCommand =
  | Reserve
  | { readonly type: 'Release'; readonly claim: ClaimId; readonly at: string }
  | (Money & {
      readonly type: 'Ease';
      readonly booking: BookingId;
      /** The claims that the booking had named before. Only their reservations can be eased. */
      readonly claims: readonly ClaimId[];
      readonly revision: number;
      readonly at: string;
    })
  | ({ readonly type: 'RecordWarningMailed'; readonly providerId: string | null } & MailAttempt)
  | ({ readonly type: 'RecordWarningMailFailed' } & MailAttempt & MailFailure);

export type SpendingRejection =
  | {
      readonly code: 'OVER_DAY_TOTAL';
      /** Without the rejected amount, and without what it would replace; in minor units of the limit's currency, rounded up. */
      readonly useMinor: number;
    }
  /** The claim's reservation was returned; another claim needs another one. */
  | { readonly code: 'RESERVATION_RELEASED' };

export type Reservation = Money & { readonly booking: BookingId; readonly released: boolean };

export type Spending = {
  /** By claim, including released ones: an id is never reserved twice. */
  readonly reservations: OrderedMap<string, Reservation>;
  /** The amount that the events of each booking have eased, by booking. */
  readonly eased: OrderedMap<string, number>;
  /** The eased events, by booking and revision. */
  readonly easedAt: OrderedMap<string, true>;
  /** The amounts that count, in minor units by currency. */
  readonly totals: Readonly<Partial<Record<Currency, number>>>;
  readonly warning: Warning | null;
};

/** The warning of the day, and its mail. */
export type Warning = Warned & { readonly mail: WarningMail };

type WarningMail =
  | { readonly status: 'unsent' }
  | { readonly status: 'failing'; readonly attempts: number; readonly messageId: string }
  /** Accepted by the mail server, or given up. */
  | { readonly status: 'ended' };
