import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { restOver, type Send } from './rest.ts';
import { createToolServer } from './server.ts';

/** One message as it came to `POST /mcp`, and the way to the service it came to. */
export type Message = {
  /** The body, read but not looked at. */
  readonly message: unknown;
  readonly headers: Headers;
  readonly requestId: string;
  readonly send: Send;
};

/** Headers of the caller that its calls bring along: who calls, and in which language. */
const PASSED_ON = ['x-api-key', 'accept-language'];

/**
 * Answers messages of the streamable HTTP transport, without sessions: whatever node a message comes to answers it, and
 * none remembers anything. The answer is one JSON text, never a stream.
 */
export function toolServerOverHttp(version: string): (message: Message) => Promise<Response> {
  return async ({ message, headers, requestId, send }) => {
    const passedOn = PASSED_ON.map((name) => [name, headers.get(name)] as const);
    const known = Object.fromEntries(passedOn.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
    const rest = restOver(send, { ...known, 'x-request-id': requestId });
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
