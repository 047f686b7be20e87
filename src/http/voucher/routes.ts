import { Elysia } from 'elysia';
import { type Refused, refused } from '../../application/refusal.ts';
import { findVoucher } from '../../application/voucher/find-voucher.ts';
import { calendarFileName } from '../../vouchers/calendar.ts';
import { VOUCHER_HEADERS, VOUCHER_PAGE_HEADERS } from '../../vouchers/page-headers.ts';
import { qrPng, qrSvg } from '../../vouchers/qr.ts';
import { publishedKeys } from '../../vouchers/signing-key.ts';
import { normalizeCode } from '../../vouchers/token.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import { sendKept } from '../kept-answer.ts';
import { pageFiles } from './page-files.ts';
import { languageOf, presentCalendar, presentPage, stateOf } from './present-page.ts';
import * as schema from './schema.ts';

const THROTTLED = { throttle: 'vouchers' } as const;

export function voucherRoutes(context: HttpContext) {
  const { signingKeys } = context;
  return new Elysia({ name: 'voucher', tags: ['Vouchers'] })
    .use(access(context))
    .get('/api/vouchers/page.js', async ({ request }) => sendKept((await pageFiles()).page, request.headers), {
      anybody: true,
      response: schema.PAGE_FILE_ANSWER,
      detail: schema.PAGE_SCRIPT_DETAIL,
    })
    .get('/api/vouchers/worker.js', async ({ request }) => sendKept((await pageFiles()).worker, request.headers), {
      anybody: true,
      response: schema.PAGE_FILE_ANSWER,
      detail: schema.PAGE_WORKER_DETAIL,
    })
    .get(
      '/api/vouchers/:code',
      async ({ params, call, request }) => {
        const view = await findVoucher(normalizeCode(params.code), context);
        if (view.kind === 'refused') return call.refuse(view);
        const isValid = stateOf(view, context).kind === 'valid';
        const keep = isValid ? keepUntil(view.booking.voucher?.validUntilMs ?? 0) : {};
        const page = presentPage(view, languageOf(request, view), context);
        return new Response(page, { headers: { ...VOUCHER_PAGE_HEADERS, ...keep } });
      },
      {
        anybody: THROTTLED,
        params: schema.VOUCHER_PATH,
        response: schema.VOUCHER_PAGE_ANSWER,
        detail: schema.VOUCHER_PAGE_DETAIL,
      },
    )
    .get(
      '/api/vouchers/:code/calendar.ics',
      async ({ params, call, request }) => {
        const view = await findVoucher(normalizeCode(params.code), context);
        if (view.kind === 'refused') return call.refuse(view);
        const file = presentCalendar(view, languageOf(request, view), context);
        const headers = {
          ...VOUCHER_HEADERS,
          'content-type': 'text/calendar; charset=utf-8',
          'content-disposition': `inline; filename="${calendarFileName(view.id)}"`,
        };
        return new Response(file, { headers });
      },
      {
        anybody: THROTTLED,
        params: schema.VOUCHER_PATH,
        response: schema.CALENDAR_ANSWER,
        detail: schema.VOUCHER_CALENDAR_DETAIL,
      },
    )
    .get(
      '/api/vouchers/:code/qr.png',
      async ({ params, call }) => {
        const text = await qrTextOf(params.code, context);
        if (text.kind === 'refused') return call.refuse(text);
        const png = new Uint8Array(qrPng(text.text));
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
        const text = await qrTextOf(params.code, context);
        if (text.kind === 'refused') return call.refuse(text);
        return new Response(qrSvg(text.text), { headers: { ...VOUCHER_HEADERS, 'content-type': 'image/svg+xml' } });
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
 * The text of a voucher's QR code, if its page shows one: the page's address with the signed token. A used, cancelled or
 * expired voucher has none: an offline gate would accept its signature, and its guests would take the image for a valid
 * voucher.
 */
async function qrTextOf(code: string, context: HttpContext): Promise<{ kind: 'text'; text: string } | Refused> {
  const view = await findVoucher(normalizeCode(code), context);
  if (view.kind === 'refused') return view;
  const state = stateOf(view, context);
  if (state.kind === 'valid') return { kind: 'text', text: state.qrText };
  const why = `The voucher is ${state.kind} and has no QR code; its page, at the same address without the file name, says more.`;
  return refused('VOUCHER_NOT_FOUND', why);
}

/** The worker of the page keeps a copy until then. */
function keepUntil(validUntilMs: number): Readonly<Record<string, string>> {
  return { 'X-Voucher-Keep-Until': new Date(validUntilMs).toISOString() };
}
