import { type Static, Type } from 'typebox';
import { LOGGED_STATUSES } from '../../../projections/deliveries/query.ts';
import type { Timeline } from '../../application/booking/read-timeline.ts';
import type { SentWebhook } from '../../application/booking/sent-webhooks.ts';
import { type Currency, toDecimal } from '../../domain/activity/money.ts';
import { amounts } from '../../domain/activity/pricing.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { WEBHOOK_EVENTS } from '../../domain/delivery/delivery.ts';
import type { KeyId } from '../../domain/ids.ts';
import type { Recorded } from '../../eventsourcing/message.ts';
import { COUNT, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';
import { HISTORY_EVENTS, presentHistoryForOperator } from './present-history.ts';

export const TIMELINE = Type.Object(
  {
    booking_id: Type.String(),
    items: Type.Array(
      Type.Object({
        at: TIMESTAMP,
        event: oneOf([...HISTORY_EVENTS, 'earlier_voucher_mailed', 'webhook']),
        text: Type.String(),
        by: oneOf(['user', 'operator', 'venue', 'system']),
        operator: Type.Optional(Type.String()),
        message_id: Type.Optional(Type.String({ description: 'Of a mail.' })),
        delivery_id: Type.Optional(Type.String({ description: 'Of a webhook.' })),
        webhook: Type.Optional(
          Type.Object({
            event: oneOf(WEBHOOK_EVENTS),
            status: oneOf(LOGGED_STATUSES),
            attempts: COUNT,
            next_attempt_at: nullable(TIMESTAMP),
          }),
        ),
      }),
    ),
  },
  { $id: 'Timeline' },
);

type Entry = Static<typeof TIMELINE>['items'][number];

/** The history, the mails and the webhooks of a booking in sentences, by time. A webhook has the time of its last attempt. */
export function presentTimeline({ id, booking, events, webhooks }: Timeline) {
  const { keyId } = booking.facts;
  const entries = [...entriesOf(events, keyId), ...webhooks.map(webhookEntry)];
  return { booking_id: id, items: entries.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at)) };
}

function entriesOf(events: readonly Recorded<BookingEvent>[], keyId: KeyId): readonly Entry[] {
  let totalMinor = 0;
  return events.flatMap((event) => {
    const before = totalMinor;
    totalMinor = totalAfter(event) ?? before;
    return entryOf(event, totalMinor - before, keyId);
  });
}

function entryOf(event: Recorded<BookingEvent>, addedMinor: number, keyId: KeyId): readonly Entry[] {
  const { type, data } = event;
  if (type === 'ReplacedVoucherMailed')
    return [
      {
        at: data.at,
        event: 'earlier_voucher_mailed',
        text: 'An earlier mail with the voucher was sent, although a later one had been requested.',
        by: 'system',
        message_id: data.messageId,
      },
    ];
  return presentHistoryForOperator([event], keyId).map((entry) => ({
    ...entry,
    text: `${entry.text}${moneyOf(event, addedMinor)}`,
    ...('messageId' in data && { message_id: data.messageId }),
  }));
}

/** What the event says about money beyond the charge or refund that follows it as an entry of its own. */
function moneyOf({ type, data }: BookingEvent, addedMinor: number): string {
  if (type === 'BookingCancelled' && data.refundMinor === 0) return ' Nothing was refunded.';
  if (type !== 'BookingModified') return '';
  const { currency } = data.pricing;
  if (addedMinor === 0) return ' The price did not change.';
  const amount = decimal(Math.abs(addedMinor), currency);
  return ` The price ${addedMinor > 0 ? 'rose' : 'fell'} by ${amount} to ${decimal(totalAfter({ type, data }) ?? 0, currency)}.`;
}

/** The booking's total after an event, in minor units; null if the event states none. */
function totalAfter({ type, data }: BookingEvent): number | null {
  switch (type) {
    case 'BookingStarted':
    case 'BookingPlacedOnRequest':
    case 'BookingConfirmed':
    case 'BookingModified':
      return amounts(data.pricing, guestsOf(data)).totalMinor;
    default:
      return null;
  }
}

function decimal(amountMinor: number, currency: Currency): string {
  return `${toDecimal(amountMinor, currency)} ${currency}`;
}

function webhookEntry({ deliveryId, event, at, ...webhook }: SentWebhook): Entry {
  const text = `The webhook ${event} to ${webhook.receiver ?? 'the receiver'} ${outcomeOf(webhook)}`;
  const { status, attempts, nextAttemptAtMs } = webhook;
  return {
    at,
    event: 'webhook',
    text,
    by: 'system',
    delivery_id: deliveryId,
    webhook: {
      event,
      status,
      attempts: attempts.length,
      next_attempt_at: nextAttemptAtMs === null ? null : new Date(nextAttemptAtMs).toISOString(),
    },
  };
}

function outcomeOf({ status, attempts, nextAttemptAtMs }: Omit<SentWebhook, 'deliveryId' | 'event' | 'at'>): string {
  const last = attempts.at(-1);
  const times = attempts.length === 1 ? 'at the first attempt' : `at attempt ${attempts.length}`;
  if (status === 'success') return `was accepted ${times} with HTTP ${last?.responseCode ?? 'status unknown'}.`;
  const why = last?.error ?? 'the reason is unknown';
  if (status === 'failed') return `failed after ${attempts.length} attempts: ${why}.`;
  const next = nextAttemptAtMs === null ? '' : `; the next attempt is at ${new Date(nextAttemptAtMs).toISOString()}`;
  return `failed ${times}: ${why}${next}.`;
}
