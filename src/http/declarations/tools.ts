import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { nullable } from '../schemas.ts';
import { INVENTORY } from './inventory.ts';

const ANY_OBJECT = Type.Record(Type.String(), Type.Unknown());
const ID = Type.Union([Type.String(), Type.Integer()]);

const MESSAGE = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(ID),
    method: Type.String({
      description: '`initialize`, `ping`, `tools/list`, `tools/call` and others of the protocol.',
    }),
    params: Type.Optional(ANY_OBJECT),
  },
  { $id: 'ToolMessage', description: 'A message of JSON-RPC 2.0. One without `id` is a notification.' },
);

const ANSWER = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: nullable(ID),
    result: Type.Optional(ANY_OBJECT),
    error: Type.Optional(
      Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
    ),
  },
  { $id: 'ToolAnswer', description: 'Either `result` or `error`.' },
);

export const TOOL_MESSAGES = {
  by: 'anybody',
  id: 'mcp',
  tag: 'Tools',
  summary: 'A message to the tool server (MCP)',
  description: [
    'The Model Context Protocol over streamable HTTP, without sessions and without streams: one message, one JSON answer, in ' +
      "the protocol's own form and not in the envelope. `Accept` must name `application/json` and `text/event-stream`.",
    'The tools are `recommend`, `book` and `inventory`. Anybody may ask what they are; a call of one is a request to this API ' +
      'with the `x-api-key` that came with it, and counts as one. A refusal is a result with `isError: true`, whose text says ' +
      'what to do next.',
  ].join('\n\n'),
  headers: ['x-api-key', 'accept-language', 'mcp-protocol-version'],
  body: MESSAGE,
  answer: {
    media: 'application/json',
    schema: ANSWER,
    example: {
      jsonrpc: '2.0',
      id: 1,
      result: {
        content: [
          {
            type: 'text',
            text: '1 of 12 bookable activities in Bangkok on 2026-11-21. To book one, send its activity_id to the tool book.',
          },
        ],
        structuredContent: INVENTORY.answer.example,
      },
    },
    others: {
      202: { description: 'A notification, which is not answered.', schema: null },
      400: {
        description: "No message of the protocol, or not in a version that is spoken here: the protocol's error.",
        schema: ANSWER,
      },
      406: { description: '`Accept` does not name both types.', schema: ANSWER },
    },
  },
  refusals: ['FORBIDDEN'],
  example: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'inventory', arguments: { city: 'Bangkok', date: '2026-11-21' } },
  },
} as const satisfies Declaration;
