import { type BookingView, findVoucher } from '../../application/read-booking.ts';
import { voucherCancelled } from '../../application/verify-voucher.ts';
import { detailsOf, tokenOf } from '../../vouchers/details.ts';
import { VOUCHER_PAGE_HEADERS, type VoucherState, voucherPage } from '../../vouchers/page.ts';
import { qrPng, qrSvg } from '../../vouchers/qr.ts';
import { publishedKeys } from '../../vouchers/signing-key.ts';
import { normalizeCode } from '../../vouchers/token.ts';
import type { HttpContext } from '../context.ts';
import { VOUCHER_KEYS, VOUCHER_PAGE, VOUCHER_PNG, VOUCHER_SVG } from '../declarations/vouchers.ts';
import { type Answer, type Declaration, endpoint } from '../endpoint.ts';

/** The address holds the code, which is a secret: nothing between here and the guest may keep it. */
const IMAGE_HEADERS = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** GET /api/vouchers/{code}/qr.png */
export function voucherPng(context: HttpContext) {
  return withQrCode(context, VOUCHER_PNG, (view) => {
    const png = qrPng(tokenOf(view.booking, context.signingKeys.current));
    return new Response(new Uint8Array(png), { headers: { ...IMAGE_HEADERS, 'content-type': 'image/png' } });
  });
}

/** GET /api/vouchers/{code}/qr.svg */
export function voucherSvg(context: HttpContext) {
  return withQrCode(
    context,
    VOUCHER_SVG,
    (view) =>
      new Response(qrSvg(tokenOf(view.booking, context.signingKeys.current)), {
        headers: { ...IMAGE_HEADERS, 'content-type': 'image/svg+xml' },
      }),
  );
}

/** GET /api/vouchers/{code}: the voucher as a page to show or print. */
export function voucherPageRoute(context: HttpContext) {
  return withVoucher(
    context,
    VOUCHER_PAGE,
    (view) => new Response(pageOf(view, context), { headers: VOUCHER_PAGE_HEADERS }),
  );
}

/** GET /.well-known/waymark-voucher-keys.json: the public halves, with which a gate checks tokens offline. */
export function voucherKeys(context: HttpContext) {
  return endpoint(context, VOUCHER_KEYS, null, () =>
    Response.json(publishedKeys(context.signingKeys.all), { headers: { 'cache-control': 'public, max-age=300' } }),
  );
}

/**
 * A cancelled voucher has no QR code any more: its token's signature would still hold at a gate that is offline, and an
 * image that looks like a voucher would promise its guests an entry they do not have. A refusal says what is the case.
 */
function withQrCode(context: HttpContext, declaration: Declaration, show: (view: BookingView) => Response) {
  return withVoucher(context, declaration, (view) => {
    const { booking } = view;
    return booking.status === 'cancelled' ? voucherCancelled(booking.cancellation.at) : show(view);
  });
}

function withVoucher(context: HttpContext, declaration: Declaration, show: (view: BookingView) => Answer) {
  return endpoint(context, declaration, null, async ({ params }) => {
    const view = await findVoucher(normalizeCode(params['code'] ?? ''), context);
    return view.kind === 'refused' ? view : show(view);
  });
}

function pageOf(view: BookingView, context: HttpContext): string {
  const { booking, guest } = view;
  const activity = context.catalogue.get(booking.facts.activityId)?.activity;
  return voucherPage({ ...detailsOf(booking, guest, activity), state: stateOf(view, context) });
}

function stateOf(view: BookingView, context: HttpContext): VoucherState {
  const { booking } = view;
  if (booking.status === 'cancelled') return { kind: 'cancelled', atMs: Date.parse(booking.cancellation.at) };
  if (booking.status === 'completed') return { kind: 'used', atMs: booking.visit.verifiedAtMs };
  if (context.clock.nowMs() >= (booking.voucher?.validUntilMs ?? 0)) return { kind: 'expired' };
  return { kind: 'valid', token: tokenOf(view.booking, context.signingKeys.current) };
}
