import { LANGUAGES } from '../../domain/activity/vocabulary.ts';
import type { Json } from './json-schema.ts';

export type RequestHeader =
  | 'x-api-key'
  | 'idempotency-key'
  | 'accept-language'
  | 'x-position'
  | 'if-match'
  | 'if-none-match'
  | 'mcp-protocol-version';
export type AnswerHeader = 'x-position' | 'idempotent-replayed' | 'etag' | 'cache-control' | 'link';

type Header = { readonly name: string; readonly description: string; readonly schema: Json };

export const REQUEST_HEADERS: Readonly<Record<RequestHeader, Header>> = {
  'x-api-key': {
    name: 'x-api-key',
    description: 'Your API key, where what you ask for needs one.',
    schema: { type: 'string' },
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: 'Any text of your own that stands for this one wish: repeated with it, the request has one outcome.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'accept-language': {
    name: 'Accept-Language',
    description: `The language of texts: ${LANGUAGES.join(', ')}.`,
    schema: { type: 'string' },
  },
  'x-position': {
    name: 'X-Position',
    description: 'The `X-Position` of an earlier answer: the query sees what that answer wrote.',
    schema: { type: 'string' },
  },
  'if-match': {
    name: 'If-Match',
    description: 'The `ETag` of the booking as you have read it: where it was changed since, the answer is 409.',
    schema: { type: 'string' },
  },
  'if-none-match': {
    name: 'If-None-Match',
    description: 'The `ETag` of what you have: where it is the same still, the answer is 304, without a body.',
    schema: { type: 'string' },
  },
  'mcp-protocol-version': {
    name: 'MCP-Protocol-Version',
    description: 'The version that `initialize` agreed on.',
    schema: { type: 'string' },
  },
};

/** Every answer has `x-request-id` and `cache-control`. */
export const ANSWER_HEADERS: Readonly<
  Record<AnswerHeader | 'x-request-id' | 'retry-after' | 'www-authenticate' | 'ratelimit' | 'ratelimit-policy', Header>
> = {
  'x-request-id': {
    name: 'X-Request-Id',
    description: 'Your own, where you sent one of 1 to 128 letters, digits and `_ . : -`; else a fresh one.',
    schema: { type: 'string' },
  },
  'retry-after': {
    name: 'Retry-After',
    description: 'Seconds to wait before the same request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'www-authenticate': {
    name: 'WWW-Authenticate',
    description:
      'What to send: `Bearer` a token in `Authorization`; `ApiKey` and `DeviceKey` a key in the header that `header` names.',
    schema: { type: 'string' },
  },
  'ratelimit-policy': {
    name: 'RateLimit-Policy',
    description: "What the key's plan allows: `q` requests in `w` seconds. Not there where the plan has no limits.",
    schema: { type: 'string' },
  },
  ratelimit: {
    name: 'RateLimit',
    description: 'What is left of it: `r` requests, more in `t` seconds.',
    schema: { type: 'string' },
  },
  'x-position': {
    name: 'X-Position',
    description: 'The place in the log of what this request wrote; not there where it wrote nothing.',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    name: 'Idempotent-Replayed',
    description: '`true` where an earlier request with this Idempotency-Key had this outcome.',
    schema: { type: 'string', enum: ['true'] },
  },
  etag: {
    name: 'ETag',
    description:
      'Changes with the body; that of a booking with what its customer can see of it, which is what `If-Match` takes.',
    schema: { type: 'string' },
  },
  'cache-control': {
    name: 'Cache-Control',
    description: 'Whether, and for how long, the answer may be kept.',
    schema: { type: 'string' },
  },
  link: {
    name: 'Link',
    description: 'The next page, as `rel="next"`; not there on the last.',
    schema: { type: 'string' },
  },
};
