import { Type } from 'typebox';
import { type AllotmentView, readAllotment, saleDate, setAllotment } from '../../application/operate-allotment.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import { CURRENCY_EXPONENTS, type Currency, toDecimal, toMinor } from '../../domain/activity/money.ts';
import { priceOf } from '../../domain/activity/pricing.ts';
import { parseLocalDate } from '../../domain/activity/schedule.ts';
import { freeSlots } from '../../domain/allotment/allotment.ts';
import { DEAL_PERCENT } from '../../domain/allotment/deal-policy.ts';
import { dealAt, type FlashDeal, standing, termsBySchedule } from '../../domain/allotment/terms.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import type { DataOf } from '../declaration.ts';
import { ALLOTMENT_OF_DATE, SET_ALLOTMENT } from '../declarations/allotments.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { clearable, form, optional, required } from '../form.ts';

const MOST_GUESTS_A_DAY = 100_000;
const { from, to } = DEAL_PERCENT;

const shape = form({
  capacity: clearable(
    optional(
      Type.Integer({ minimum: 0, maximum: MOST_GUESTS_A_DAY }),
      `a whole number of guests from 0 to ${MOST_GUESTS_A_DAY}, or null for the schedule's`,
    ),
  ),
  price: clearable(
    optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1e12 }),
      "an amount above 0 in the city's currency, or null for the schedule's",
    ),
  ),
  flash_deal: clearable(optional(Type.Object({}), 'an object with discount_percent and expires_at, or null for none')),
  'flash_deal.discount_percent': required(
    Type.Integer({ minimum: from, maximum: to }),
    `a whole number from ${from} to ${to}`,
  ),
  'flash_deal.expires_at': required(field.TIMESTAMP, field.TIMESTAMP_RULE),
});

/** GET /api/activities/{activity_id}/allotments/{date} */
export function allotmentOfDate(context: HttpContext) {
  return endpoint(context, ALLOTMENT_OF_DATE, null, async ({ params }) => {
    const date = dateIn(params);
    if (typeof date !== 'string') return date;
    const view = await readAllotment(params['activity_id'] ?? '', date, context);
    return view.kind === 'refused' ? view : { kind: 'data', data: presentAllotment(view, context.clock.nowMs()) };
  });
}

/** PUT /api/activities/{activity_id}/allotments/{date} */
export function setAllotmentOfDate(context: HttpContext) {
  return endpoint(context, SET_ALLOTMENT, shape, async ({ params, fields, cause }) => {
    const date = dateIn(params);
    if (typeof date !== 'string') return date;
    const sale = saleDate(params['activity_id'] ?? '', date, context);
    if (sale.kind === 'refused') return sale;
    const price = priceIn(fields.price, sale.opening.currency);
    if (price.kind === 'refused') return price;
    const percent = fields['flash_deal.discount_percent'];
    const expiresAtMs = field.parseTimestamp(fields['flash_deal.expires_at'] ?? '');
    const deal = percent === null || expiresAtMs === null ? null : { discountPercent: percent, expiresAtMs };
    const change = {
      capacity: fields.capacity,
      unitPriceMinor: price.unitPriceMinor,
      deal: fields.flash_deal === undefined ? undefined : deal,
    };
    const view = await setAllotment(sale, change, cause, context);
    if (view.kind === 'refused') return view;
    return { kind: 'data', data: presentAllotment(view, context.clock.nowMs()), headers: commandHeaders(view) };
  });
}

function dateIn(params: Readonly<Record<string, string>>): LocalDate | Refused {
  const sent = params['date'] ?? '';
  const rule = `date must be a real calendar date as YYYY-MM-DD; it was ${JSON.stringify(sent.slice(0, 40))}.`;
  return parseLocalDate(sent) ?? refused('INVALID_DATE', rule);
}

type SentPrice = { readonly kind: 'price'; readonly unitPriceMinor: number | null | undefined };

/** How many decimals an amount may have depends on the activity's currency. */
function priceIn(price: number | null | undefined, currency: Currency): SentPrice | Refused {
  if (price === null || price === undefined) return { kind: 'price', unitPriceMinor: price };
  const unitPriceMinor = toMinor(price, currency);
  if (unitPriceMinor !== null) return { kind: 'price', unitPriceMinor };
  const decimals = CURRENCY_EXPONENTS[currency];
  const rule = decimals === 0 ? 'without decimals' : `with at most ${decimals} decimals`;
  return refused('INVALID_REQUEST', `price must be an amount in ${currency} ${rule}; it was ${price}.`);
}

function presentAllotment({ schedule, allotment }: AllotmentView, nowMs: number): DataOf<typeof SET_ALLOTMENT> {
  const terms = allotment.status === 'open' ? allotment : termsBySchedule(schedule);
  const { capacity, unitPriceMinor } = standing(terms, schedule);
  const { activityId, date, currency } = schedule;
  const { taken, held } = allotment.status === 'open' ? allotment : { taken: 0, held: 0 };
  const { setCapacity, setPriceMinor, deal, dealsBy } = terms;
  const shown = deal !== null && nowMs < deal.expiresAtMs ? deal : null;
  const discounted = ({ discountPercent }: FlashDeal): number => {
    const { discountMinor } = priceOf({ unitPriceMinor, currency }, discountPercent);
    return toDecimal(unitPriceMinor - discountMinor, currency);
  };
  return {
    activity_id: activityId,
    date,
    capacity,
    capacity_by: setCapacity === null ? 'schedule' : 'operator',
    taken,
    held,
    free: freeSlots(allotment, schedule),
    price: toDecimal(unitPriceMinor, currency),
    price_by: setPriceMinor === null ? 'schedule' : 'operator',
    currency,
    flash_deal:
      shown === null
        ? null
        : {
            discount_percent: shown.discountPercent,
            expires_at: new Date(shown.expiresAtMs).toISOString(),
            by: shown.by,
            price: discounted(shown),
            active: dealAt(shown, schedule, nowMs) !== null,
          },
    flash_deals_by: dealsBy,
  };
}
