import { isIP } from 'node:net';
import { type TUnknown, Type } from 'typebox';
import { type Refused, refused } from '../../application/refusal.ts';
import type { HttpContext, SendFor } from '../context.ts';
import { TOOL_MESSAGES } from '../declarations/tools.ts';
import { endpoint } from '../endpoint.ts';
import { type Field, type Form, required } from '../form.ts';

/** Any JSON: what a message must look like is the tool server's to say, in its protocol's own errors. */
const anyMessage: Form<{ message: Field<TUnknown> }> = {
  fields: { message: required(Type.Unknown(), 'a message of the protocol') },
  readBody: (message) => ({ kind: 'fields', fields: { message } }),
  readQuery: () => ({ kind: 'fields', fields: { message: null } }),
};

/**
 * POST /mcp: a message of the Model Context Protocol. Anybody may ask what tools there are; who may use them is decided
 * where their requests arrive, by the key that came with the message.
 */
export function toolMessages(context: HttpContext, send: SendFor) {
  return endpoint(context, TOOL_MESSAGES, anyMessage, ({ fields, headers, cause, address }) => {
    const strange = strangeAddress(headers, new URL(context.publicUrl()));
    if (strange !== null) return strange;
    const from = address();
    return context.toolServer({
      message: fields.message,
      headers,
      requestId: cause.correlationId,
      send: (path, init) => send(path, init, from),
    });
  });
}

/**
 * A page in a browser can have its own name point at this service's address (DNS rebinding), and its requests then name
 * it in Host and Origin. So a Host must be a name of ours: that of PUBLIC_URL, `localhost`, or an address, which no name
 * can be bound to; and an Origin, which only browsers send, must be this very service.
 */
function strangeAddress(headers: Headers, publicUrl: URL): Refused | null {
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
