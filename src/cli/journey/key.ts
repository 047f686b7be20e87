import { dataOf, keyHolder, NOBODY, outcomeOf } from './client.ts';
import type { JourneyContext, OwnKey } from './context.ts';
import { numberAt, textAt } from './json.ts';
import { pollUntil } from './poll-until.ts';
import { StepFailed } from './step.ts';

/** All nodes refuse a deactivated key within one second; the rest is for the requests. */
const DEACTIVATED_WITHIN_MS = 2_000;
const PLAN = { minute: 300, day: 10_000 };
const EVENTS = ['booking_confirmed', 'voucher_delivered', 'qr_verified', 'booking_cancelled', 'booking_modified'];

/** Checks that the service is ready and creates a key, which the journey deactivates at its end. */
export async function createKey(context: JourneyContext): Promise<OwnKey> {
  const { ask, steps, operator, receiver } = context;
  await steps.run('service readiness', async (check) => {
    const answer = await ask({ path: '/readyz', as: NOBODY });
    check.holds('GET /readyz answers 200', answer.status === 200, `${answer.status} ${answer.text}`);
  });
  const key = await steps.run('API key with a webhook receiver', async (check) => {
    const body = { name: 'waymark journey', plan: 'premium', webhook_url: receiver.url, webhook_events: EVENTS };
    const made = dataOf('creating a key', await ask({ method: 'POST', path: '/api/keys', as: operator, body }));
    const [id, value, secret] = [textAt(made, 'id'), textAt(made, 'key'), textAt(made, 'webhook_secret')];
    if (id === '' || value === '') throw new StepFailed('the key', 'an id and a key', made);
    context.addCleanUp(() => deactivate(id, value, context));
    receiver.trust(secret);
    check.holds('the key is 64 lowercase hex characters', /^[0-9a-f]{64}$/.test(value), `${value.length} characters`);
    check.holds('the webhook secret is whsec_ and base64', /^whsec_[A-Za-z0-9+/]+=*$/.test(secret), 'another text');
    const prefix = `pk_${value.slice(0, 6)}`;
    check.matches('the key', made, { prefix, plan: 'premium', active: true, webhook_url: receiver.url });
    check.fact(`${prefix}…, premium, events to ${new URL(receiver.url).origin}`);
    return { id, prefix, credential: keyHolder(value) };
  });
  return steps.run('health', async (check) => {
    const health = dataOf('health', await ask({ path: '/api/health', as: key.credential }));
    check.matches('health', health, {
      status: 'ok',
      'key.prefix': key.prefix,
      'key.plan': 'premium',
      'key.daily_remaining': PLAN.day,
    });
    const version = textAt(health, 'version');
    check.fact(`Waymark ${version}, ${numberAt(health, 'key.daily_remaining')} requests left today`);
    return { ...key, version };
  });
}

/** Checks that each response carries the rate limit headers and that a request uses one unit. */
export async function checkRateLimits(key: OwnKey, { ask, steps }: JourneyContext): Promise<void> {
  await steps.run('rate limits', async (check) => {
    const path = '/api/b2a/inventory?city=Bangkok&limit=1';
    const first = await ask({ path, as: key.credential });
    const second = await ask({ path, as: key.credential });
    const policy = membersOf(first.headers.get('ratelimit-policy'));
    check.matches('RateLimit-Policy', policy, {
      'minute.q': PLAN.minute,
      'minute.w': 60,
      'day.q': PLAN.day,
      'day.w': 86_400,
    });
    const [before, after] = [membersOf(first.headers.get('ratelimit')), membersOf(second.headers.get('ratelimit'))];
    for (const name of ['minute', 'day']) {
      const [was, is] = [numberAt(before, `${name}.r`), numberAt(after, `${name}.r`)];
      // If a new window began between the two requests, its end is farther off than before.
      const renewed = numberAt(after, `${name}.t`) > numberAt(before, `${name}.t`);
      check.holds(
        `RateLimit "${name}" goes down by one`,
        is === was - 1 || (renewed && is >= was),
        `${was}, then ${is}`,
      );
      check.fact(`${is} left of the ${name}`);
    }
  });
}

async function deactivate(id: string, value: string, { ask, steps, operator, clock }: JourneyContext): Promise<void> {
  await steps.run('key deactivation', async (check) => {
    const path = `/api/keys/${id}/deactivate`;
    check.matches('the key', dataOf('deactivating', await ask({ method: 'POST', path, as: operator })), {
      active: false,
    });
    const look = async (): Promise<string> => outcomeOf(await ask({ path: '/api/health', as: keyHolder(value) }));
    const wanted = '403 KEY_INACTIVE';
    const found = await pollUntil(look, (outcome) => outcome === wanted, DEACTIVATED_WITHIN_MS, clock);
    check.holds(`its next request is answered ${wanted}`, found === wanted, found);
  });
}

/** Parses the structured fields of the rate limit headers: `"minute";r=9;t=42` is `{minute: {r: 9, t: 42}}`. */
function membersOf(header: string | null): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const members = [...(header ?? '').matchAll(/"(\w+)"((?:;\w+=\d+)*)/g)];
  return Object.fromEntries(
    members.map(([, name = '', parameters = '']) => [
      name,
      Object.fromEntries([...parameters.matchAll(/;(\w+)=(\d+)/g)].map(([, of = '', value]) => [of, Number(value)])),
    ]),
  );
}
