import { Type } from 'typebox';
import { createKey } from '../../src/application/manage-keys.ts';
import { readConfig } from '../../src/config.ts';
import { PERMISSIONS } from '../../src/domain/apikey/apikey.ts';
import { createApp } from '../../src/http/app.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { EXECUTE_BOOKING } from '../../src/http/declarations/bookings.ts';
import { type Declaration, endpoint } from '../../src/http/endpoint.ts';
import { bookingForm } from '../../src/http/routes/bookings.ts';
import { openNode } from '../../src/roles/node.ts';

/**
 * The service with three more routes, the baselines: through the same router, authentication and validation, with the
 * same body, but with no, one or two durable appends of a 300-byte event instead of a booking.
 */
const PAYLOAD = 'x'.repeat(260);
/** The first of them once more, for anybody: what authentication costs. */
const { by: _key, permission: _permission, ...ABOUT } = EXECUTE_BOOKING;
const OPEN = {
  ...ABOUT,
  by: 'anybody',
  id: 'baseline_open',
  answer: { data: Type.Object({ appends: Type.Integer() }), example: { appends: 0 } },
} as const satisfies Declaration;
const BASELINE = {
  ...EXECUTE_BOOKING,
  id: 'baseline',
  answer: { data: Type.Object({ appends: Type.Integer() }), example: { appends: 1 } },
} as const satisfies Declaration;

/**
 * Without an address of its own a service mails nothing. `BENCH_WEBHOOK_URL` names a receiver of every event, and has
 * the vouchers mailed too: then bookings are measured with all that follows from them.
 */
const receiver = process.env['BENCH_WEBHOOK_URL'] ?? null;
let url = '';

const node = await openNode(readConfig(process.env), { url: () => url });
const { context, stores } = node;
if (context === null) throw new Error('the bench needs a node that answers requests');
const app = createApp(context)
  .post(
    '/bench/open',
    endpoint(context, OPEN, bookingForm(context), () => ({ kind: 'data', data: { appends: 0 } })),
    { parse: 'none' },
  )
  .post('/bench/bare', baseline(context, 0), { parse: 'none' })
  .post('/bench/append', baseline(context, 1), { parse: 'none' })
  .post('/bench/append-twice', baseline(context, 2), { parse: 'none' });
app.listen({ port: 0, hostname: '127.0.0.1' });
const port = app.server?.port;
if (receiver !== null) url = `http://127.0.0.1:${port}`;
const key = await unlimitedKey(context);
process.stdout.write(`${JSON.stringify({ port, key, adminToken: node.secrets.adminToken })}\n`);
// A terminal tells it of Ctrl-C too; whoever started it says when to stop.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {
  void app.server?.stop(true);
  void node.stop().then(() => process.exit(0));
});

/** The demo key's plan allows fewer requests than a measurement sends. */
async function unlimitedKey(http: HttpContext): Promise<string> {
  const settings = {
    name: 'Bench',
    plan: 'enterprise',
    permissions: PERMISSIONS,
    webhookUrl: receiver,
    webhookEvents: null,
    ipAllowlist: null,
    contactEmail: null,
    expiresAt: null,
  } as const;
  const at = new Date(http.clock.nowMs()).toISOString();
  const created = await createKey(settings, { correlationId: 'bench', causationId: null, by: 'bench', at }, http);
  if (created.kind === 'refused') throw new Error(`no key could be made: ${created.refusal.error}`);
  if (created.position !== null) await http.passed('keys', created.position);
  return created.value;
}

function baseline(http: HttpContext, appends: number) {
  const startedAt = `${appends}-${Date.now()}`;
  let count = 0;
  return endpoint(http, BASELINE, bookingForm(http), async ({ cause }) => {
    for (let index = 0; index < appends; index++) {
      const stream = `bench-${startedAt}-${String(count++).padStart(10, '0')}`;
      await stores.store.append(stream, -1, [
        { id: http.ids.uuid(), type: 'Measured.v1', data: { payload: PAYLOAD }, cause },
      ]);
    }
    return { kind: 'data', data: { appends } };
  });
}
