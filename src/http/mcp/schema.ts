import { Type } from 'typebox';
import { nullable } from '../answer-fields.ts';
import { finishedAnswers, otherAnswer } from '../answers.ts';
import { headerParameter } from '../header-macros.ts';
import { INVENTORY_EXAMPLE } from '../inventory/schema.ts';
import { anyBody } from '../schema.ts';

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
  {
    $id: 'ToolMessage',
    description: 'A message of JSON-RPC 2.0. One without `id` is a notification.',
    examples: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'inventory', arguments: { city: 'Bangkok', date: '2026-12-05' } },
      },
    ],
  },
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

const EXAMPLE = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    content: [
      {
        type: 'text',
        text: '1 of 12 bookable activities in Bangkok on 2026-12-05. To book one, send its activity_id to the tool book.',
      },
    ],
    structuredContent: INVENTORY_EXAMPLE,
  },
};

/** The MCP server checks the message and answers with the errors of its protocol. */
export const TOOL_MESSAGE_BODY = anyBody(MESSAGE);

export const TOOL_ANSWER = {
  ...finishedAnswers('application/json', ANSWER, ['FORBIDDEN'], [], EXAMPLE),
  202: otherAnswer('A notification, which gets no answer.', null),
  400: otherAnswer("No message of the protocol, or of a version that is not supported: the protocol's error.", ANSWER),
  406: otherAnswer('`Accept` does not name both types.', ANSWER),
};

export const MCP_DETAIL = {
  operationId: 'mcp',
  summary: 'A message to the tool server (MCP)',
  description: [
    'The Model Context Protocol over streamable HTTP, without sessions and without streams: one message, one JSON ' +
      "answer, in the protocol's own form and not in the envelope. `Accept` must name `application/json` and " +
      '`text/event-stream`.',
    'The tools are `recommend`, `book` and `inventory`. Anybody may list them; a call of one is a request to this ' +
      'API with the `x-api-key` that came with it, and counts as one. A refusal is a result with `isError: true`, ' +
      'whose text says what to do next.',
  ].join('\n\n'),
  parameters: [
    headerParameter('x-api-key'),
    headerParameter('accept-language'),
    headerParameter('mcp-protocol-version'),
  ],
};
