import { dataOf, keyHolder, NOBODY, outcomeOf } from './client.ts';
import { eventually } from './patience.ts';
import { numberAt, textAt } from './reading.ts';
import type { OwnKey, Scene } from './scene.ts';
import { Broken } from './step.ts';

/** A deactivation holds everywhere within a second; twice that is for the way there and back. */
const DEACTIVATED_WITHIN_MS = 2_000;
const PLAN = { minute: 300, day: 10_000 };
const EVENTS = ['booking_confirmed', 'voucher_delivered', 'qr_verified', 'booking_cancelled', 'booking_modified'];

/** The service is ready, and gives us a key of our own that it will take back at the end. */
export async function makeKey(scene: Scene): Promise<OwnKey> {
  const { ask, steps, operator, receiver } = scene;
  await steps.run('the service is ready', async (seen) => {
    const answer = await ask({ path: '/readyz', as: NOBODY });
    seen.holds('GET /readyz answers 200', answer.status === 200, `${answer.status} ${answer.text}`);
  });
  const key = await steps.run('a key of our own, with a webhook receiver', async (seen) => {
    const body = { name: 'waymark journey', plan: 'premium', webhook_url: receiver.url, webhook_events: EVENTS };
    const made = dataOf('making a key', await ask({ method: 'POST', path: '/api/keys', as: operator, body }));
    const [id, value, secret] = [textAt(made, 'id'), textAt(made, 'key'), textAt(made, 'webhook_secret')];
    if (id === '' || value === '') throw new Broken('the key', 'an id and a key', made);
    scene.atTheEnd(() => deactivate(id, value, scene));
    receiver.trust(secret);
    seen.holds('the key is 64 lowercase hex characters', /^[0-9a-f]{64}$/.test(value), `${value.length} characters`);
    seen.holds('the webhook secret is whsec_ and base64', /^whsec_[A-Za-z0-9+/]+=*$/.test(secret), 'another text');
    const prefix = `pk_${value.slice(0, 6)}`;
    seen.matches('the key', made, { prefix, plan: 'premium', active: true, webhook_url: receiver.url });
    seen.fact(`${prefix}…, premium, events to ${new URL(receiver.url).origin}`);
    return { id, prefix, credential: keyHolder(value) };
  });
  return steps.run('GET /api/health knows it', async (seen) => {
    const health = dataOf('health', await ask({ path: '/api/health', as: key.credential }));
    seen.matches('health', health, {
      status: 'ok',
      'key.prefix': key.prefix,
      'key.plan': 'premium',
      'key.daily_remaining': PLAN.day,
    });
    const version = textAt(health, 'version');
    seen.fact(`Waymark ${version}, ${numberAt(health, 'key.daily_remaining')} requests left today`);
    return { ...key, version };
  });
}

/** Every answer says what is left of the plan, and a request takes one. */
export async function countRequests(key: OwnKey, { ask, steps }: Scene): Promise<void> {
  await steps.run('each request is counted against the plan', async (seen) => {
    const path = '/api/b2a/inventory?city=Bangkok&limit=1';
    const first = await ask({ path, as: key.credential });
    const second = await ask({ path, as: key.credential });
    const policy = membersOf(first.headers.get('ratelimit-policy'));
    seen.matches('RateLimit-Policy', policy, {
      'minute.q': PLAN.minute,
      'minute.w': 60,
      'day.q': PLAN.day,
      'day.w': 86_400,
    });
    const [before, after] = [membersOf(first.headers.get('ratelimit')), membersOf(second.headers.get('ratelimit'))];
    for (const name of ['minute', 'day']) {
      const [was, is] = [numberAt(before, `${name}.r`), numberAt(after, `${name}.r`)];
      // A day that began between the two gives back what was used: then its end is farther off than before.
      const renewed = numberAt(after, `${name}.t`) > numberAt(before, `${name}.t`);
      seen.holds(
        `RateLimit "${name}" goes down by one`,
        is === was - 1 || (renewed && is >= was),
        `${was}, then ${is}`,
      );
      seen.fact(`${is} left of the ${name}`);
    }
  });
}

async function deactivate(id: string, value: string, { ask, steps, operator, clock }: Scene): Promise<void> {
  await steps.run('the key is given back', async (seen) => {
    const path = `/api/keys/${id}/deactivate`;
    seen.matches('the key', dataOf('deactivating', await ask({ method: 'POST', path, as: operator })), {
      active: false,
    });
    const look = async (): Promise<string> => outcomeOf(await ask({ path: '/api/health', as: keyHolder(value) }));
    const wanted = '403 KEY_INACTIVE';
    const found = await eventually(look, (outcome) => outcome === wanted, DEACTIVATED_WITHIN_MS, clock);
    seen.holds(`its next request is answered ${wanted}`, found === wanted, found);
  });
}

/** Structured fields as the rate limit headers use them: `"minute";r=9;t=42` is `{minute: {r: 9, t: 42}}`. */
function membersOf(header: string | null): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const members = [...(header ?? '').matchAll(/"(\w+)"((?:;\w+=\d+)*)/g)];
  return Object.fromEntries(
    members.map(([, name = '', parameters = '']) => [
      name,
      Object.fromEntries([...parameters.matchAll(/;(\w+)=(\d+)/g)].map(([, of = '', value]) => [of, Number(value)])),
    ]),
  );
}
