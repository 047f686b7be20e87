import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { openNode } from '../../src/app/node.ts';
import { createKey } from '../../src/application/key/manage-keys.ts';
import { readConfig } from '../../src/config.ts';
import { PERMISSIONS } from '../../src/domain/apikey/apikey.ts';
import type { Cause } from '../../src/eventsourcing/message.ts';
import { access } from '../../src/http/access.ts';
import { answers, success } from '../../src/http/answers.ts';
import { createApp } from '../../src/http/app.ts';
import { bookingBody } from '../../src/http/booking/schema.ts';
import type { HttpContext } from '../../src/http/context.ts';

/**
 * The service with the routes of the baselines: the same router, authentication, validation and body, but no, one or two
 * durable appends of a 300-byte event instead of a booking.
 */
const PAYLOAD = 'x'.repeat(260);
const APPENDED = answers(Type.Object({ appends: Type.Integer() }), { appends: 1 }, []);

/**
 * A service without a public URL mails nothing. `BENCH_WEBHOOK_URL` names a receiver of every event and also enables the
 * voucher mails, so that bookings are measured with all their effects.
 */
const receiver = process.env['BENCH_WEBHOOK_URL'] ?? null;
let url = '';

const node = await openNode(readConfig(process.env), { url: () => url });
const { context, stores } = node;
if (context === null) throw new Error('the bench needs a node that answers requests');
const app = createApp(context).use(baselines(context));
app.listen({ port: 0, hostname: '127.0.0.1' });
const port = app.server?.port;
if (receiver !== null) url = `http://127.0.0.1:${port}`;
const key = await unlimitedKey(context);
process.stdout.write(`${JSON.stringify({ port, key, adminToken: node.secrets.adminToken })}\n`);
// A terminal sends Ctrl-C to this process too: ignore it, the parent process sends SIGTERM.
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
  const created = await createKey(
    'live',
    settings,
    { correlationId: 'bench', causationId: null, by: 'bench', at },
    http,
  );
  if (created.kind === 'refused') throw new Error(`the key was refused: ${created.refusal.error}`);
  if (created.position !== null) await http.passed('keys', created.position);
  return created.value;
}

/** The three baselines, and the first one without a key: the difference is the cost of authentication. */
function baselines(http: HttpContext) {
  const demand = { body: bookingBody(http), response: APPENDED };
  const keyed = (operationId: string) => ({ ...demand, apiKey: 'execute_booking', detail: { operationId } }) as const;
  const [bare, once, twice] = [appending(http, 0), appending(http, 1), appending(http, 2)];
  return new Elysia({ name: 'bench' })
    .use(access(http))
    .post('/bench/open', () => success({ appends: 0 }), {
      ...demand,
      anybody: true,
      detail: { operationId: 'baseline_open' },
    })
    .post('/bench/bare', ({ call }) => bare(call.cause), keyed('baseline_bare'))
    .post('/bench/append', ({ call }) => once(call.cause), keyed('baseline_append'))
    .post('/bench/append-twice', ({ call }) => twice(call.cause), keyed('baseline_append_twice'));
}

function appending(http: HttpContext, appends: number) {
  const startedAt = `${appends}-${Date.now()}`;
  let count = 0;
  return async (cause: Cause) => {
    for (let index = 0; index < appends; index++) {
      const stream = `bench-${startedAt}-${String(count++).padStart(10, '0')}`;
      await stores.store.append(stream, -1, [
        { id: http.ids.uuid(), type: 'Measured.v1', data: { payload: PAYLOAD }, cause },
      ]);
    }
    return success({ appends });
  };
}
