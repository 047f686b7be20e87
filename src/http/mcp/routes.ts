import { isIP } from 'node:net';
import { Elysia } from 'elysia';
import { type Refused, refused } from '../../application/refusal.ts';
import { access } from '../access.ts';
import type { HttpContext, SendFor } from '../context.ts';
import * as schema from './schema.ts';

/** @param send sends the request of a tool call to the API */
export function mcpRoutes(context: HttpContext, send: SendFor) {
  return new Elysia({ name: 'mcp', tags: ['Tools'] }).use(access(context)).post(
    '/mcp',
    ({ body, request, call }) => {
      const { headers } = request;
      const foreign = foreignRequest(headers, new URL(context.publicUrl()), context.corsOrigins);
      if (foreign !== null) return call.refuse(foreign);
      const { address, requestId } = call;
      return context.toolServer({
        message: body,
        headers,
        requestId,
        send: (path, init) => send(path, init, address),
      });
    },
    {
      // The key that came with the message authenticates the requests of its tool calls.
      anybody: true,
      body: schema.TOOL_MESSAGE_BODY,
      response: schema.TOOL_ANSWER,
      detail: schema.MCP_DETAIL,
    },
  );
}

/**
 * Refuses a request from a page of another origin. Such a page can resolve its own host name to this service's address
 * (DNS rebinding); Host and Origin then contain that name. So Host must be the host of PUBLIC_URL, `localhost` or an IP
 * address, and Origin, which only browsers send, must be this service or in CORS_ORIGINS.
 */
function foreignRequest(headers: Headers, publicUrl: URL, corsOrigins: readonly string[]): Refused | null {
  const host = headers.get('host');
  if (host !== null && host !== publicUrl.host && !isLocalOrAddress(host)) {
    return refused(
      'FORBIDDEN',
      `The header Host is "${host.slice(0, 100)}", which is no name of this service; use the address in PUBLIC_URL, or have the operator set it.`,
      { resolution: 'contact_operator' },
    );
  }
  const origin = headers.get('origin');
  if (origin === null || origin === publicUrl.origin || URL.parse(origin)?.host === host) return null;
  if (corsOrigins.includes(origin)) return null;
  return refused(
    'FORBIDDEN',
    `The header Origin is "${origin.slice(0, 100)}"; pages of other origins may not use the tool server.`,
    { resolution: 'contact_operator' },
  );
}

function isLocalOrAddress(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return name === 'localhost' || isIP(name) !== 0;
}
