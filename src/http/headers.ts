import { LANGUAGES } from '../domain/activity/vocabulary.ts';
import type { Json } from './reference/json-schema.ts';

export type RequestHeader =
  | 'x-api-key'
  | 'idempotency-key'
  | 'accept-language'
  | 'x-position'
  | 'if-match'
  | 'if-none-match'
  | 'mcp-protocol-version'
  | 'x-csrf-token';
export type AnswerHeader =
  | 'x-position'
  | 'idempotent-replayed'
  | 'etag'
  | 'link'
  | 'x-accel-buffering'
  | 'x-voucher-keep-until'
  | 'content-disposition';

type Header = { readonly name: string; readonly description: string; readonly schema: Json };

export const REQUEST_HEADERS: Readonly<Record<RequestHeader, Header>> = {
  'x-api-key': {
    name: 'x-api-key',
    description: 'Your API key, if the message needs one.',
    schema: { type: 'string' },
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: 'A text of your own for this request: repetitions with the same text have one outcome.',
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
    description: 'The `ETag` of the booking as you read it: if it has changed since, the answer is 409.',
    schema: { type: 'string' },
  },
  'if-none-match': {
    name: 'If-None-Match',
    description: 'The `ETag` of the copy you have: if it is still current, the answer is 304, without a body.',
    schema: { type: 'string' },
  },
  'mcp-protocol-version': {
    name: 'MCP-Protocol-Version',
    description: 'The protocol version that `initialize` negotiated.',
    schema: { type: 'string' },
  },
  'x-csrf-token': {
    name: 'X-CSRF-Token',
    description: 'The `csrf_token` of the session.',
    schema: { type: 'string' },
  },
};

/** The introduction of the API reference describes them, so that operations need not repeat them. */
export const GENERAL_HEADERS = ['X-Request-Id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit'];

/** Headers of some answers. */
export const ANSWER_HEADERS: Readonly<Record<AnswerHeader | 'retry-after' | 'www-authenticate', Header>> = {
  'retry-after': {
    name: 'Retry-After',
    description: 'Seconds to wait before you send the same request again.',
    schema: { type: 'integer', minimum: 1 },
  },
  'x-accel-buffering': {
    name: 'X-Accel-Buffering',
    description: '`no`: a proxy passes each event on at once.',
    schema: { type: 'string', const: 'no' },
  },
  'www-authenticate': {
    name: 'WWW-Authenticate',
    description:
      'What to send: `Bearer` a token in `Authorization`; `ApiKey` and `DeviceKey` a key in the header that `header` names.',
    schema: { type: 'string' },
  },
  'x-position': {
    name: 'X-Position',
    description: 'The position of what this request wrote; absent if it wrote nothing.',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    name: 'Idempotent-Replayed',
    description: '`true` if an earlier request with this Idempotency-Key had this outcome.',
    schema: { type: 'string', enum: ['true'] },
  },
  etag: {
    name: 'ETag',
    description: 'Changes with the body. That of a booking changes with what its customer sees; send it as `If-Match`.',
    schema: { type: 'string' },
  },
  link: {
    name: 'Link',
    description:
      'The next page, as `rel="next"`; absent on the last page. Of a 404: the guide for agents, as `rel="help"`.',
    schema: { type: 'string' },
  },
  'x-voucher-keep-until': {
    name: 'X-Voucher-Keep-Until',
    description: 'Of a valid voucher: until when a browser keeps a copy of its page.',
    schema: { type: 'string', format: 'date-time' },
  },
  'content-disposition': {
    name: 'Content-Disposition',
    description: 'The name of the file.',
    schema: { type: 'string' },
  },
};
