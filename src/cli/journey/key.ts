import { dataOf, outcomeOf } from './client.ts';
import { type AgentContext, CITY, type JourneyContext } from './context.ts';
import { numberAt, textAt } from './json.ts';
import { pollUntil, StepFailed } from './step.ts';

/** All nodes refuse a deactivated key within one second; the rest is for the requests. */
const DEACTIVATED_WITHIN_MS = 2_000;

/** Creates a key with a webhook receiver; the journey deactivates it at its end. */
export async function createKey(context: JourneyContext): Promise<AgentContext> {
  const { step, operator, anybody, receiver } = context;
  await step('service readiness', async (check) => {
    const { status, text } = await anybody.get('/readyz');
    check.holds('GET /readyz answers 200', status === 200, `${status} ${text}`);
  });
  const created = await step('API key with a webhook receiver', async (check) => {
    // Without exploration the ground truth in an answer changes with visits only.
    const key = { name: 'waymark journey', plan: 'basic', webhook_url: receiver.url, exploration: false };
    const made = dataOf(await operator.post('/api/keys', key));
    const [keyId, value] = [textAt(made, 'id'), textAt(made, 'key')];
    if (keyId === '' || value === '') throw new StepFailed('the key', 'an id and a key', made);
    const agent = context.clientWith({ 'x-api-key': value });
    context.addCleanUp(() => deactivate({ ...context, keyId, agent }));
    receiver.trust(textAt(made, 'webhook_secret'));
    check.fact(`${textAt(made, 'prefix')}…, plan basic, events to ${new URL(receiver.url).origin}`);
    return { ...context, keyId, agent };
  });
  const { agent } = created;
  await step('health', async (check) => {
    const health = dataOf(await agent.get('/api/health'));
    check.matches('health', health, { status: 'ok' });
    const left = numberAt(health, 'key.daily_remaining');
    check.fact(`Waymark ${textAt(health, 'version')}, ${left} requests left today`);
  });
  await step('rate limits', async (check) => {
    const { headers } = await agent.get(`/api/b2a/inventory?city=${CITY}&limit=1`);
    const limits = headers.get('ratelimit') ?? '';
    check.holds('RateLimit has a minute and a day', /"minute";r=\d+.*"day";r=\d+/.test(limits), limits);
    check.fact(limits);
  });
  return created;
}

async function deactivate({ keyId, agent, operator, step, clock }: AgentContext): Promise<void> {
  await step('key deactivation', async (check) => {
    dataOf(await operator.post(`/api/keys/${keyId}/deactivate`, {}));
    const read = async (): Promise<string> => outcomeOf(await agent.get('/api/health'));
    const refusal = '403 KEY_INACTIVE';
    const found = await pollUntil(read, (outcome) => outcome === refusal, DEACTIVATED_WITHIN_MS, clock);
    check.holds(`its next request is answered ${refusal}`, found === refusal, found);
  });
}
