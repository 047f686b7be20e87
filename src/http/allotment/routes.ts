import { Elysia } from 'elysia';
import type { Static } from 'typebox';
import {
  type AllotmentView,
  readAllotment,
  saleDate,
  setAllotment,
} from '../../application/allotment/operate-allotment.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import { parseLocalDate } from '../../domain/activity/schedule.ts';
import { notADate } from '../../domain/activity/understand-date.ts';
import { freeSlots } from '../../domain/allotment/state.ts';
import { effectiveTerms, initialTerms } from '../../domain/allotment/terms.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { parseTimestamp } from '../fields.ts';
import { presentDeal } from './present-deal.ts';
import { priceIn } from './price.ts';
import type { ALLOTMENT } from './schema.ts';
import * as schema from './schema.ts';

export function allotmentRoutes(context: HttpContext) {
  const present = (view: AllotmentView) => presentAllotment(view, context.clock.nowMs());
  return new Elysia({ name: 'allotment', tags: ['Inventory'] })
    .use(access(context))
    .get(
      '/api/activities/:activity_id/allotments/:date',
      async ({ params, call }) => {
        const date = dateOfPath(params, context);
        if (typeof date !== 'string') return call.refuse(date);
        return call.reply(await readAllotment(params.activity_id, date, context), present);
      },
      {
        operator: true,
        params: schema.ALLOTMENT_PATH,
        response: schema.ALLOTMENT_ANSWER,
        detail: schema.GET_ALLOTMENT_DETAIL,
      },
    )
    .put(
      '/api/activities/:activity_id/allotments/:date',
      async ({ params, body, call }) => {
        const date = dateOfPath(params, context);
        if (typeof date !== 'string') return call.refuse(date);
        const sale = saleDate(params.activity_id, date, context);
        if (sale.kind === 'refused') return call.refuse(sale);
        const price = priceIn(body.price, sale.schedule.currency);
        if (price.kind === 'refused') return call.refuse(price);
        const change = {
          capacity: body.capacity,
          unitPriceMinor: price.unitPriceMinor,
          deal: body.flash_deal && dealIn(body.flash_deal),
        };
        return call.reply(await setAllotment(sale, change, call.cause, context), present, commandHeaders);
      },
      {
        operator: true,
        params: schema.ALLOTMENT_PATH,
        body: schema.ALLOTMENT_BODY,
        response: schema.CHANGED_ALLOTMENT_ANSWER,
        detail: schema.SET_ALLOTMENT_DETAIL,
      },
    );
}

/** The handler checks the date, not the path's schema, so that faults of the body are reported first. */
export function dateOfPath(
  { activity_id: activityId, date }: Named,
  { catalogue, clock }: HttpContext,
): LocalDate | Refused {
  const city = catalogue.get(activityId)?.activity.city ?? null;
  return (
    parseLocalDate(date) ??
    refused('INVALID_DATE', notADate('date', 'a real calendar date as YYYY-MM-DD', date, city, clock.nowMs()))
  );
}

type Named = { readonly activity_id: string; readonly date: string };

type SentDeal = { readonly discount_percent: number; readonly expires_at: string };

/** @throws if `expires_at` is not a timestamp, which the schema refuses */
function dealIn({ discount_percent: discountPercent, expires_at: expiresAt }: SentDeal) {
  const expiresAtMs = parseTimestamp(expiresAt);
  if (expiresAtMs === null) throw new Error('a text that is no timestamp has passed its schema');
  return { discountPercent, expiresAtMs };
}

/**
 * The allotment of the public contract.
 *
 * @param nowMs ms since the epoch
 */
function presentAllotment({ schedule, allotment }: AllotmentView, nowMs: number): Static<typeof ALLOTMENT> {
  const terms = allotment.status === 'open' ? allotment : initialTerms(schedule);
  const { capacity, unitPriceMinor } = effectiveTerms(terms, schedule);
  const { activityId, date, currency } = schedule;
  const { taken, held } = allotment.status === 'open' ? allotment : { taken: 0, held: 0 };
  const { setCapacity, setPriceMinor, deal, dealsBy } = terms;
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
    flash_deal: deal === null || nowMs >= deal.expiresAtMs ? null : presentDeal(deal, unitPriceMinor, schedule, nowMs),
    flash_deals_by: dealsBy,
  };
}
