import { Elysia } from 'elysia';
import type { BookingView } from '../../application/booking/read-booking.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import { findVoucher } from '../../application/voucher/find-voucher.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { voucherDetails, voucherQrText } from '../../vouchers/details.ts';
import { VOUCHER_HEADERS, VOUCHER_PAGE_HEADERS, type VoucherState, voucherPage } from '../../vouchers/page.ts';
import { qrPng, qrSvg } from '../../vouchers/qr.ts';
import { publishedKeys } from '../../vouchers/signing-key.ts';
import { normalizeCode } from '../../vouchers/token.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './schema.ts';

/** How long after the visit the page names the guest. */
const NAMED_MS = 30 * DAY_MS;

const THROTTLED = { throttle: 'vouchers' } as const;

export function voucherRoutes(context: HttpContext) {
  const { signingKeys } = context;
  return new Elysia({ name: 'voucher', tags: ['Vouchers'] })
    .use(access(context))
    .get(
      '/api/vouchers/:code',
      async ({ params, call }) => {
        const view = await findVoucher(normalizeCode(params.code), context);
        if (view.kind === 'refused') return call.refuse(view);
        return new Response(presentPage(view, context), { headers: VOUCHER_PAGE_HEADERS });
      },
      {
        anybody: THROTTLED,
        params: schema.VOUCHER_PATH,
        response: schema.VOUCHER_PAGE_ANSWER,
        detail: schema.VOUCHER_PAGE_DETAIL,
      },
    )
    .get(
      '/api/vouchers/:code/qr.png',
      async ({ params, call }) => {
        const qr = await qrTextOfCode(params.code, context);
        if (qr.kind === 'refused') return call.refuse(qr);
        const png = new Uint8Array(qrPng(qr.text));
        return new Response(png, { headers: { ...VOUCHER_HEADERS, 'content-type': 'image/png' } });
      },
      {
        anybody: THROTTLED,
        params: schema.VOUCHER_PATH,
        response: schema.QR_PNG_ANSWER,
        detail: schema.VOUCHER_QR_PNG_DETAIL,
      },
    )
    .get(
      '/api/vouchers/:code/qr.svg',
      async ({ params, call }) => {
        const qr = await qrTextOfCode(params.code, context);
        if (qr.kind === 'refused') return call.refuse(qr);
        return new Response(qrSvg(qr.text), { headers: { ...VOUCHER_HEADERS, 'content-type': 'image/svg+xml' } });
      },
      {
        anybody: THROTTLED,
        params: schema.VOUCHER_PATH,
        response: schema.QR_SVG_ANSWER,
        detail: schema.VOUCHER_QR_SVG_DETAIL,
      },
    )
    .get(
      '/.well-known/waymark-voucher-keys.json',
      () => Response.json(publishedKeys(signingKeys.all), { headers: { 'cache-control': 'public, max-age=300' } }),
      {
        anybody: true,
        response: schema.VOUCHER_KEYS_ANSWER,
        detail: schema.VOUCHER_KEYS_DETAIL,
      },
    );
}

/**
 * The text of a voucher's QR code, if its page shows one. A used, cancelled or expired voucher has none: an offline gate
 * would accept its signature, and its guests would take the image for a valid voucher.
 */
async function qrTextOfCode(code: string, context: HttpContext): Promise<{ kind: 'qr'; text: string } | Refused> {
  const view = await findVoucher(normalizeCode(code), context);
  if (view.kind === 'refused') return view;
  const state = stateOf(view, context);
  if (state.kind === 'valid') return { kind: 'qr', text: state.qrText };
  const why = `The voucher is ${state.kind} and has no QR code; its page, at the same address without the file name, says more.`;
  return refused('VOUCHER_NOT_FOUND', why);
}

/** The voucher as an HTML page. */
function presentPage(view: BookingView, context: HttpContext): string {
  const { booking, guest } = view;
  const activity = context.catalogue.get(booking.facts.activityId)?.activity;
  const details = voucherDetails(booking, guest, activity);
  const visitedAtMs = booking.status === 'completed' ? booking.visit.verifiedAtMs : details.validUntilMs;
  const guestName = context.clock.nowMs() < visitedAtMs + NAMED_MS ? details.guestName : null;
  return voucherPage({ ...details, guestName, state: stateOf(view, context) });
}

function stateOf({ booking }: BookingView, { clock, signingKeys, publicUrl }: HttpContext): VoucherState {
  if (booking.status === 'cancelled') return { kind: 'cancelled', atMs: Date.parse(booking.cancellation.at) };
  if (booking.status === 'completed') return { kind: 'used', atMs: booking.visit.verifiedAtMs };
  if (clock.nowMs() >= (booking.voucher?.validUntilMs ?? 0)) return { kind: 'expired' };
  return { kind: 'valid', qrText: voucherQrText(booking, signingKeys.current, publicUrl()) };
}
