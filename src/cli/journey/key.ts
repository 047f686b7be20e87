import { dataOf, outcomeOf } from './client.ts';
import { CITY, type JourneyContext, type OwnKey } from './context.ts';
import { numberAt, textAt } from './json.ts';
import { pollUntil, StepFailed } from './step.ts';

/** All nodes refuse a deactivated key within one second; the rest is for the requests. */
const DEACTIVATED_WITHIN_MS = 2_000;

/** Creates a key with a webhook receiver; the journey deactivates it at its end. */
export async function createKey(context: JourneyContext): Promise<OwnKey> {
  const { ask, steps, operator, receiver } = context;
  await steps.run('service readiness', async (check) => {
    const answer = await ask({ path: '/readyz' });
    check.holds('GET /readyz answers 200', answer.status === 200, `${answer.status} ${answer.text}`);
  });
  const key = await steps.run('API key with a webhook receiver', async (check) => {
    const body = { name: 'waymark journey', plan: 'premium', webhook_url: receiver.url };
    const made = dataOf('creating a key', await ask({ method: 'POST', path: '/api/keys', as: operator, body }));
    const [id, value] = [textAt(made, 'id'), textAt(made, 'key')];
    if (id === '' || value === '') throw new StepFailed('the key', 'an id and a key', made);
    const credential = { 'x-api-key': value };
    context.addCleanUp(() => deactivate({ id, credential }, context));
    receiver.trust(textAt(made, 'webhook_secret'));
    check.fact(`${textAt(made, 'prefix')}…, premium, events to ${new URL(receiver.url).origin}`);
    return { id, credential };
  });
  await steps.run('health', async (check) => {
    const health = dataOf('health', await ask({ path: '/api/health', as: key.credential }));
    check.matches('health', health, { status: 'ok' });
    check.fact(`Waymark ${textAt(health, 'version')}, ${numberAt(health, 'key.daily_remaining')} requests left today`);
  });
  await steps.run('rate limits', async (check) => {
    const { headers } = await ask({ path: `/api/b2a/inventory?city=${CITY}&limit=1`, as: key.credential });
    const limits = headers.get('ratelimit') ?? '';
    check.holds('RateLimit has a minute and a day', /"minute";r=\d+.*"day";r=\d+/.test(limits), limits);
    check.fact(limits);
  });
  return key;
}

async function deactivate({ id, credential }: OwnKey, { ask, steps, operator, clock }: JourneyContext): Promise<void> {
  await steps.run('key deactivation', async (check) => {
    dataOf('deactivating', await ask({ method: 'POST', path: `/api/keys/${id}/deactivate`, as: operator }));
    const read = async (): Promise<string> => outcomeOf(await ask({ path: '/api/health', as: credential }));
    const refusal = '403 KEY_INACTIVE';
    const found = await pollUntil(read, (outcome) => outcome === refusal, DEACTIVATED_WITHIN_MS, clock);
    check.holds(`its next request is answered ${refusal}`, found === refusal, found);
  });
}
