import { holdSlots } from '../../application/hold-slots.ts';
import { letHoldGo } from '../../application/let-hold-go.ts';
import { readHold } from '../../application/read-hold.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { HOLD_BY_ID, HOLD_SLOTS, RELEASE_HOLD } from '../declarations/holds.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form } from '../form.ts';
import { presentHold } from '../present-hold.ts';

/** The fields of a hold: those of a booking that say what is booked. */
function holdForm({ guestLimits }: Pick<HttpContext, 'guestLimits'>) {
  const known = {
    activity_id: field.activityId,
    booking_date: field.bookingDate,
    num_adults: field.numAdults(guestLimits),
    num_children: field.numChildren(guestLimits),
    context_log_id: field.contextLogId,
  };
  return form(known, { num_children: field.partyRule(guestLimits) });
}

/** POST /api/b2a/holds */
export function hold(context: HttpContext) {
  return endpoint(context, HOLD_SLOTS, holdForm(context), async ({ caller, fields, headers, cause }) => {
    const idempotency = field.idempotencyKey(headers);
    if (idempotency.kind === 'refused') return idempotency;
    const asked = {
      keyId: caller.keyId,
      idempotencyKey: idempotency.key,
      activityId: fields.activity_id ?? '',
      date: fields.booking_date as LocalDate,
      numAdults: fields.num_adults ?? 0,
      numChildren: fields.num_children ?? 0,
      contextLogId: fields.context_log_id,
    };
    const held = await holdSlots(asked, cause, context);
    if (held.kind === 'refused') return held;
    return {
      kind: 'data',
      data: presentHold(held, context.clock.nowMs()),
      headers: commandHeaders(held),
    };
  });
}

/** GET /api/b2a/holds/{hold_id} */
export function holdById(context: HttpContext) {
  return endpoint(context, HOLD_BY_ID, null, async ({ caller, params }) => {
    const view = await readHold(params['hold_id'] ?? '', caller.keyId, context);
    return view.kind === 'refused' ? view : { kind: 'data', data: presentHold(view, context.clock.nowMs()) };
  });
}

/** DELETE /api/b2a/holds/{hold_id} */
export function releaseHold(context: HttpContext) {
  return endpoint(context, RELEASE_HOLD, null, async ({ caller, params, cause }) => {
    const released = await letHoldGo(params['hold_id'] ?? '', caller.keyId, cause, context);
    if (released.kind === 'refused') return released;
    const data = { hold_id: released.id, status: 'released' as const };
    return { kind: 'data', data, headers: commandHeaders(released) };
  });
}
