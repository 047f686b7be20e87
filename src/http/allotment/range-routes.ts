import { Elysia } from 'elysia';
import { unknownActivity } from '../../application/activity/unknown-activity.ts';
import {
  type ChangedDate,
  type DateRange,
  previewRange,
  selectedDates,
  setRange,
} from '../../application/allotment/set-range.ts';
import { refused } from '../../application/refusal.ts';
import { toDecimal } from '../../domain/activity/money.ts';
import type { AllotmentTerms } from '../../domain/allotment/calendar.ts';
import type { DateSchedule } from '../../domain/allotment/events.ts';
import { effectiveTerms } from '../../domain/allotment/terms.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { dateOf } from '../fields.ts';
import { presentDeal } from './present-deal.ts';
import { priceIn } from './price.ts';
import * as schema from './range-schema.ts';

export function allotmentRangeRoutes(context: HttpContext) {
  const { catalogue, clock } = context;
  return new Elysia({ name: 'allotment-range', tags: ['Inventory'] }).use(access(context)).put(
    '/api/activities/:activity_id/allotments',
    async ({ params, body, call }) => {
      const entry = catalogue.get(params.activity_id);
      if (entry === undefined || !entry.listed)
        return call.refuse(unknownActivity(params.activity_id, null, catalogue));
      const { id, currency } = entry.activity;
      const price = priceIn(body.price, currency);
      if (price.kind === 'refused') return call.refuse(price);
      const range: DateRange = { from: dateOf(body.from), to: dateOf(body.to), weekdays: body.weekdays ?? null };
      if (selectedDates(range).length === 0)
        return call.refuse(refused('INVALID_REQUEST', 'weekdays selects no date from from to to; send another one.'));
      const deal = body.flash_deal && {
        discountPercent: body.flash_deal.discount_percent,
        untilMinutes: body.flash_deal.until === undefined ? null : minutesOf(body.flash_deal.until),
      };
      const change = { capacity: body.capacity, unitPriceMinor: price.unitPriceMinor, deal };
      const dryRun = body.dry_run ?? false;
      const outcome = dryRun
        ? await previewRange(id, range, change, context)
        : await setRange(id, range, change, call.cause, context);
      return call.reply(
        outcome,
        ({ dates }) => ({
          activity_id: id,
          dry_run: dryRun,
          changed: countOf(dates, 'changed'),
          refused: countOf(dates, 'refused'),
          complete: countOf(dates, 'not_done') === 0,
          dates: dates.map((date) => presentDate(date, clock.nowMs())),
        }),
        commandHeaders,
      );
    },
    {
      positioned: 'inventory',
      operator: true,
      params: schema.RANGE_PATH,
      body: schema.rangeBody(context),
      response: schema.RANGE_ANSWER,
      detail: schema.SET_ALLOTMENTS_DETAIL,
    },
  );
}

function countOf(dates: readonly ChangedDate[], counted: ChangedDate['result']): number {
  return dates.filter(({ result }) => result === counted).length;
}

/** @param time `HH:MM` */
function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/** @param nowMs ms since the epoch */
function presentDate({ date, result, why, schedule, before, after }: ChangedDate, nowMs: number) {
  return {
    date,
    result,
    why,
    before: before && schedule && presentTerms(before, schedule, nowMs),
    after: after && schedule && presentTerms(after, schedule, nowMs),
  };
}

function presentTerms(terms: AllotmentTerms, schedule: DateSchedule, nowMs: number) {
  const { capacity, unitPriceMinor } = effectiveTerms(terms, schedule);
  const { deal, taken } = terms;
  return {
    capacity,
    taken,
    free: Math.max(0, capacity - taken),
    price: toDecimal(unitPriceMinor, schedule.currency),
    flash_deal: deal === null || nowMs >= deal.expiresAtMs ? null : presentDeal(deal, unitPriceMinor, schedule, nowMs),
  };
}
