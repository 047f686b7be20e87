import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { openRestConnection, type Send } from './rest.ts';
import { createToolServer } from './server.ts';

/** One message received at `POST /mcp`. */
export type Message = {
  /** The parsed JSON body, not validated. */
  readonly message: unknown;
  readonly headers: Headers;
  readonly requestId: string;
  /** Calls the REST API of the same service. */
  readonly send: Send;
};

/** Headers of the MCP request that are forwarded to the REST API: credentials and language. */
const FORWARDED_HEADERS = ['x-api-key', 'accept-language'];

/**
 * Answers messages of the streamable HTTP transport. It is stateless: there are no sessions, so any node can answer any
 * message. The response is one JSON text, never a stream.
 */
export function toolServerOverHttp(version: string): (message: Message) => Promise<Response> {
  return async ({ message, headers, requestId, send }) => {
    const values = FORWARDED_HEADERS.map((name) => [name, headers.get(name)] as const);
    const forwarded = Object.fromEntries(values.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
    const rest = openRestConnection(send, { ...forwarded, 'x-request-id': requestId });
    const server = createToolServer(version, () => rest);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const request = new Request('http://localhost/mcp', { method: 'POST', headers });
      return await transport.handleRequest(request, { parsedBody: message });
    } finally {
      await server.close();
    }
  };
}
