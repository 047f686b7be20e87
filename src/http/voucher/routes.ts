import { Elysia } from 'elysia';
import type { BookingView } from '../../application/booking/read-booking.ts';
import type { Refused } from '../../application/refusal.ts';
import { findVoucher } from '../../application/voucher/find-voucher.ts';
import { voucherCancelled } from '../../application/voucher/verify-voucher.ts';
import { voucherDetails, voucherToken } from '../../vouchers/details.ts';
import { VOUCHER_PAGE_HEADERS, type VoucherState, voucherPage } from '../../vouchers/page.ts';
import { qrPng, qrSvg } from '../../vouchers/qr.ts';
import { publishedKeys } from '../../vouchers/signing-key.ts';
import { normalizeCode } from '../../vouchers/token.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './schema.ts';

/** The URL contains the voucher's code, which is a secret: no cache or referrer may keep it. */
const IMAGE_HEADERS = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

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
        anybody: true,
        params: schema.VOUCHER_PATH,
        response: schema.VOUCHER_PAGE_ANSWER,
        detail: schema.VOUCHER_PAGE_DETAIL,
      },
    )
    .get(
      '/api/vouchers/:code/qr.png',
      async ({ params, call }) => {
        const token = await tokenOfCode(params.code, context);
        if (token.kind === 'refused') return call.refuse(token);
        const png = new Uint8Array(qrPng(token.text));
        return new Response(png, { headers: { ...IMAGE_HEADERS, 'content-type': 'image/png' } });
      },
      {
        anybody: true,
        params: schema.VOUCHER_PATH,
        response: schema.QR_PNG_ANSWER,
        detail: schema.VOUCHER_QR_PNG_DETAIL,
      },
    )
    .get(
      '/api/vouchers/:code/qr.svg',
      async ({ params, call }) => {
        const token = await tokenOfCode(params.code, context);
        if (token.kind === 'refused') return call.refuse(token);
        return new Response(qrSvg(token.text), { headers: { ...IMAGE_HEADERS, 'content-type': 'image/svg+xml' } });
      },
      {
        anybody: true,
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
 * The signed token of a voucher. A cancelled voucher has none: an offline gate would accept its signature, and its
 * guests would take the image for a valid voucher.
 */
async function tokenOfCode(code: string, context: HttpContext): Promise<{ kind: 'token'; text: string } | Refused> {
  const view = await findVoucher(normalizeCode(code), context);
  if (view.kind === 'refused') return view;
  const { booking } = view;
  if (booking.status === 'cancelled') return voucherCancelled(booking.cancellation.at);
  return { kind: 'token', text: voucherToken(booking, context.signingKeys.current) };
}

/** The voucher as an HTML page. */
function presentPage(view: BookingView, context: HttpContext): string {
  const { booking, guest } = view;
  const activity = context.catalogue.get(booking.facts.activityId)?.activity;
  return voucherPage({ ...voucherDetails(booking, guest, activity), state: stateOf(view, context) });
}

function stateOf({ booking }: BookingView, { clock, signingKeys }: HttpContext): VoucherState {
  if (booking.status === 'cancelled') return { kind: 'cancelled', atMs: Date.parse(booking.cancellation.at) };
  if (booking.status === 'completed') return { kind: 'used', atMs: booking.visit.verifiedAtMs };
  if (clock.nowMs() >= (booking.voucher?.validUntilMs ?? 0)) return { kind: 'expired' };
  return { kind: 'valid', token: voucherToken(booking, signingKeys.current) };
}
