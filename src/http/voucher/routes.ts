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
import { QR_PNG_ANSWER, QR_SVG_ANSWER, VOUCHER_KEYS_ANSWER, VOUCHER_PAGE_ANSWER, VOUCHER_PATH } from './schema.ts';

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
        params: VOUCHER_PATH,
        response: VOUCHER_PAGE_ANSWER,
        detail: {
          operationId: 'voucher_page',
          summary: 'The voucher as a page to show or print',
          description: "The page is in the booking's language. It has no script and loads nothing from elsewhere.",
        },
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
        params: VOUCHER_PATH,
        response: QR_PNG_ANSWER,
        detail: {
          operationId: 'voucher_qr_png',
          summary: 'The QR code as a PNG image',
          description: 'It contains a signed token that a gate can check offline. A cancelled voucher has no QR code.',
        },
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
        params: VOUCHER_PATH,
        response: QR_SVG_ANSWER,
        detail: {
          operationId: 'voucher_qr_svg',
          summary: 'The QR code as an SVG image',
          description: 'It contains a signed token that a gate can check offline. A cancelled voucher has no QR code.',
        },
      },
    )
    .get(
      '/.well-known/waymark-voucher-keys.json',
      () => Response.json(publishedKeys(signingKeys.all), { headers: { 'cache-control': 'public, max-age=300' } }),
      {
        anybody: true,
        response: VOUCHER_KEYS_ANSWER,
        detail: {
          operationId: 'voucher_keys',
          summary: 'The public keys of voucher tokens',
          description: "A JSON Web Key Set, with which a gate checks a token's Ed25519 signature offline.",
        },
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
