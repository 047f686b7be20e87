import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';

const params = { code: "The voucher's code. It is a secret: keep the address out of logs." };
const refusals = ['VOUCHER_NOT_FOUND', 'SERVICE_UNAVAILABLE'] as const;

export const VOUCHER_PAGE = {
  by: 'anybody',
  id: 'voucher_page',
  tag: 'Vouchers',
  summary: 'The voucher as a page to show or print',
  description: "In the booking's language, without script, and with nothing loaded from elsewhere.",
  params,
  answer: { media: 'text/html', schema: null, headers: ['cache-control'] },
  refusals,
} as const satisfies Declaration;

export const VOUCHER_PNG = {
  by: 'anybody',
  id: 'voucher_qr_png',
  tag: 'Vouchers',
  summary: 'The QR code as a PNG image',
  description: 'It holds a signed token that a gate can check offline. A cancelled voucher has none any more.',
  params,
  answer: { media: 'image/png', schema: null, headers: ['cache-control'] },
  refusals: [...refusals, 'VOUCHER_CANCELLED'],
} as const satisfies Declaration;

export const VOUCHER_SVG = {
  ...VOUCHER_PNG,
  id: 'voucher_qr_svg',
  summary: 'The QR code as an SVG image',
  answer: { media: 'image/svg+xml', schema: null, headers: ['cache-control'] },
} as const satisfies Declaration;

export const VOUCHER_KEYS = {
  by: 'anybody',
  id: 'voucher_keys',
  tag: 'Vouchers',
  summary: 'The public keys of voucher tokens',
  description: "A JSON Web Key Set: with it a gate checks a token's Ed25519 signature offline.",
  answer: {
    media: 'application/json',
    schema: Type.Object(
      {
        keys: Type.Array(
          Type.Object({
            kty: Type.Literal('OKP'),
            crv: Type.Literal('Ed25519'),
            x: Type.String(),
            kid: Type.String(),
            use: Type.Literal('sig'),
            alg: Type.Literal('EdDSA'),
          }),
        ),
      },
      { $id: 'VoucherKeys' },
    ),
    headers: ['cache-control'],
  },
  refusals: [],
} as const satisfies Declaration;
