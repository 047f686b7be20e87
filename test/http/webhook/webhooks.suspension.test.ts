import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { deliveryEvents, endpointEvents } from '../../support/deliveries.ts';
import { mailsIn } from '../../support/mails.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { type Credentials, NOW, openService, type Service, withKey } from '../../support/service.ts';
import { type AnswerOf, type Deliveries, type Delivery, refused } from '../../support/service-answers.ts';

const SCHEDULE_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];
/** Time from the first attempt to the last retry. */
const ROUND_MS = SCHEDULE_MS.reduce((sum, ms) => sum + ms, 0);
const ENABLE = '/api/webhooks/enable';
const WELL = { failing_since: null, suspended_since: null };

let service: Service;
let receiver: Receiver;
let caller: Credentials;
let keyId: string;
beforeEach(async () => {
  receiver = openReceiver();
  // Mails go to files.
  service = await openService({ mails: 'sent', settings: { MAIL_WAIT_MS: '0' } });
  const settings = {
    name: 'Trip planner',
    webhook_url: `${receiver.url}/hooks/t0ken`,
    contact_email: 'ops@agent.example',
  };
  const { id, key } = await service.createKey({ ...settings, webhook_events: ['booking_confirmed'] });
  [caller, keyId] = [withKey(key), id];
  answering(500);
});
afterEach(async () => {
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

function answering(status: number): void {
  receiver.answer(() => new Response('', { status }));
}

const at = (ms: number) => new Date(NOW + ms).toISOString();
const now = () => new Date(service.clock.nowMs()).toISOString();
/** Books a week ahead, so that the date stays bookable. */
const book = (change: object = {}, headers = caller) =>
  service.book({ booking_date: '2026-12-05', ...change }, headers);

/** Number of delivery events of a type. */
async function count(type: string): Promise<number> {
  return (await service.events()).filter((event) => event.type.startsWith(`${type}.`)).length;
}

/** Books once, and lets the delivery use up its attempts. */
async function failOnce(change: object = {}): Promise<void> {
  const [failed, ended] = [await count('AttemptFailed'), await count('DeliveryExhausted')];
  await book(change);
  for (const [attempt, pauseMs] of SCHEDULE_MS.entries()) {
    await deliveryEvents(service, 'AttemptFailed', failed + attempt + 1);
    service.clock.advance(pauseMs);
  }
  await deliveryEvents(service, 'DeliveryExhausted', ended + 1);
}

/** Lets a delivery fail at the beginning and another at the end of a period, until the receiver is suspended. */
async function suspend(change: object = {}, forMs = 5 * DAY_MS, suspensions = 1): Promise<void> {
  await failOnce(change);
  service.clock.advance(forMs - ROUND_MS);
  await failOnce(change);
  await endpointEvents(service, 'EndpointSuspended', suspensions);
}

async function health(headers = caller): Promise<object> {
  return (await service.get<AnswerOf<'get /api/keys/self'>>('/api/keys/self', headers)).data.webhook;
}

/** The caller's delivery log, once it is up to date; newest first. */
async function log(): Promise<readonly Delivery[]> {
  await service.documents('deliveries');
  return (await service.get<Deliveries>('/api/webhooks/deliveries', caller)).data.items;
}

describe('a receiver that only fails', () => {
  test('is shown as failing from its first failure until its next acknowledgement', async () => {
    expect(await health()).toEqual(WELL);
    await failOnce();
    await endpointEvents(service, 'EndpointFailing', 1);
    expect(await health()).toEqual({ failing_since: at(0), suspended_since: null });
    const shown = await service.get(`/api/keys/${keyId}`, service.admin);
    expect(shown.data).toMatchObject({ webhook: { failing_since: at(0), suspended_since: null } });
    answering(200);
    await book();
    await endpointEvents(service, 'EndpointRecovered', 1);
    expect(await health()).toEqual(WELL);
  });

  test('for five days is suspended, and the log and the key show it', async () => {
    await suspend();
    const [suspended] = await endpointEvents(service, 'EndpointSuspended', 1);
    expect(await health()).toEqual({ failing_since: at(0), suspended_since: suspended?.data.at as string });
    await endpointEvents(service, 'SuspensionMailed', 1);
    const logged = service.logged.filter(({ happening }) => happening === 'webhook endpoint suspended');
    expect<readonly object[]>(logged).toEqual([
      {
        level: 'warn',
        happening: 'webhook endpoint suspended',
        facts: {
          endpoint: suspended?.stream.slice('endpoint-'.length),
          keyId,
          kind: 'key',
          origin: receiver.url,
          failingSince: at(0),
          error: 'answered 500',
        },
      },
    ]);
  });

  test('for a little less is not suspended, nor one that acknowledged in between', async () => {
    await failOnce();
    service.clock.advance(3 * DAY_MS);
    answering(200);
    await book();
    await deliveryEvents(service, 'DeliverySucceeded', 1);
    answering(500);
    service.clock.advance(3 * DAY_MS);
    await failOnce();
    await endpointEvents(service, 'EndpointFailing', 2);
    expect(await health()).toMatchObject({ suspended_since: null });
  });

  test('for the configured number of days is suspended', async () => {
    await service.stop();
    service = await openService({ settings: { WEBHOOK_SUSPEND_DAYS: '2' } });
    caller = withKey((await service.createKey({ webhook_url: receiver.url })).key);
    await suspend({}, 2 * DAY_MS);
    expect(await health()).toMatchObject({ failing_since: at(0) });
  });

  test('is judged by all its failures, including those before a restart', async () => {
    await failOnce();
    await service.restart();
    service.clock.advance(5 * DAY_MS - ROUND_MS);
    await failOnce();
    await service.restart();
    const [suspended] = await endpointEvents(service, 'EndpointSuspended', 1);
    expect(suspended?.data.failingSince).toBe(at(0));
  });
});

describe('while a receiver is suspended', () => {
  beforeEach(() => suspend());

  test('new events are listed as failed at once, without a request', async () => {
    const before = receiver.received.length;
    await book();
    const ended = await deliveryEvents(service, 'DeliveryExhausted', 3);
    expect(ended.at(-1)?.data).toEqual({ reason: 'suspended', at: now() });
    const [newest] = await log();
    expect(newest).toMatchObject({ status: 'failed', attempts: [], next_attempt_at: null });
    expect(receiver.received).toHaveLength(before);
  });

  test('a resend is refused, and the error says what to do', async () => {
    const [failed] = await log();
    const answer = await service.post(`/api/webhooks/deliveries/${failed?.delivery_id}/resend`, {}, caller);
    const [suspended] = await endpointEvents(service, 'EndpointSuspended', 1);
    expect(answer.refusal).toEqual(
      refused(
        409,
        'WEBHOOK_SUSPENDED',
        `The service sends nothing to the key's webhook_url: it only failed, and is suspended since ${suspended?.data.at}. Repair it, POST /api/webhooks/enable with an empty body, then send this again.`,
      ),
    );
  });

  test('a recovery and a replay skip its deliveries, and return their number', async () => {
    await log();
    const recovered = await service.post('/api/webhooks/recover', { since: at(0) }, caller);
    expect(recovered.data).toEqual({ resent: 0, suspended: 2, next_cursor: null });
    await service.documents('feed');
    const replayed = await service.post('/api/webhooks/replay', { from: at(0) }, caller);
    expect(replayed.data).toEqual({
      replay_id: expect.any(String),
      scheduled: 0,
      suspended: 2,
      next_cursor: null,
    });
  });

  test("a booking's own receiver, and another key's, still get their events", async () => {
    await using own = openReceiver();
    await book({ webhook_url: own.url });
    await own.arrived(1);
    const { key } = await service.createKey({ webhook_url: own.url });
    await book({}, withKey(key));
    await own.arrived(2);
  });

  test('after its owner enables it, it gets new events, and with a recovery the failed ones', async () => {
    const missed = await book();
    await deliveryEvents(service, 'DeliveryExhausted', 3);
    await log();
    answering(200);
    const before = receiver.received.length;
    const enabled = await service.post(ENABLE, {}, caller);
    expect<object>(enabled.data).toEqual(WELL);
    expect(enabled.headers.get('x-position')).toMatch(/./);
    expect(await health()).toEqual(WELL);
    const recovered = await service.post('/api/webhooks/recover', { since: at(0) }, caller);
    expect(recovered.data).toEqual({ resent: 3, suspended: 0, next_cursor: null });
    await receiver.arrived(before + 3);
    await deliveryEvents(service, 'DeliverySucceeded', 3);
    expect((await log()).map(({ status }) => status)).toEqual(['success', 'success', 'success']);
    const resent = await deliveryEvents(service, 'ResendRequested', 3);
    const scheduled = await deliveryEvents(service, 'DeliveryScheduled', 3);
    expect(new Set(resent.map(({ stream }) => stream))).toEqual(new Set(scheduled.map(({ stream }) => stream)));
    expect(scheduled.at(-1)?.data.bookingId as string).toBe(missed.data.booking_id);
    await book();
    await receiver.arrived(before + 4);
  });

  test('another URL starts as working, and the old one stays suspended', async () => {
    await using moved = openReceiver();
    await service.patch('/api/keys/self', { webhook_url: moved.url }, caller);
    expect(await health()).toEqual(WELL);
    await book();
    await moved.arrived(1);
    await service.patch('/api/keys/self', { webhook_url: `${receiver.url}/hooks/t0ken` }, caller);
    expect(await health()).toMatchObject({ failing_since: at(0) });
  });
});

test('an attempt that is pending when its receiver is suspended is not made: the delivery ends at its due time', async () => {
  await failOnce();
  service.clock.advance(5 * DAY_MS - ROUND_MS);
  // Retried after a day: `endpointEvents` advances the time by far less.
  receiver.answer(() => new Response('', { status: 503, headers: { 'retry-after': `${DAY_MS / 1000}` } }));
  const failed = await count('AttemptFailed');
  await book();
  await deliveryEvents(service, 'AttemptFailed', failed + 1);
  const dueAtMs = service.clock.nowMs() + DAY_MS;
  answering(500);
  // The log lists the deliveries by their times.
  service.clock.advance(1_000);
  await failOnce();
  await endpointEvents(service, 'EndpointSuspended', 1);
  const [, pending] = await log();
  expect(pending).toMatchObject({ status: 'retrying', next_attempt_at: new Date(dueAtMs).toISOString() });
  const before = receiver.received.length;
  service.clock.set(dueAtMs);
  const ended = await deliveryEvents(service, 'DeliveryExhausted', 3);
  expect(ended.at(-1)?.data).toEqual({ reason: 'suspended', at: now() });
  const end = { status: 'failed', next_attempt_at: null, failed_because: 'suspended' };
  expect((await log())[1]).toEqual({ ...pending, ...end } as Delivery);
  expect(receiver.received).toHaveLength(before);
});

describe('POST /api/webhooks/enable', () => {
  test('changes nothing if nothing is suspended, or the key has no receiver', async () => {
    const { key } = await service.createKey({ webhook_url: null });
    for (const headers of [caller, withKey(key)]) {
      const answer = await service.post(ENABLE, {}, headers);
      expect<object>(answer.data).toEqual(WELL);
      expect(answer.headers.get('x-position')).toBeNull();
    }
  });

  test('with a webhook_url enables only the booking receiver at that origin', async () => {
    const change = { webhook_url: `${receiver.url}/bookings/s3cret` };
    await suspend(change);
    await log();
    expect(await health()).toEqual(WELL);
    const [failed] = await log();
    const resend = () => service.post(`/api/webhooks/deliveries/${failed?.delivery_id}/resend`, {}, caller);
    expect((await resend()).refusal.error).toContain(
      `POST /api/webhooks/enable with {"webhook_url":"${receiver.url}"}, then send this again.`,
    );
    await service.post(ENABLE, {}, caller);
    expect((await resend()).refusal.code).toBe('WEBHOOK_SUSPENDED');
    await service.post(ENABLE, { webhook_url: receiver.url }, caller);
    expect((await resend()).status).toBe(200);
  });

  test('ends a suspension: earlier failures do not count towards the next', async () => {
    await suspend();
    await service.post(ENABLE, {}, caller);
    await failOnce();
    await endpointEvents(service, 'EndpointFailing', 2);
    expect(await health()).toMatchObject({ suspended_since: null });
    service.clock.advance(5 * DAY_MS);
    await failOnce();
    expect(await endpointEvents(service, 'EndpointSuspended', 2)).toHaveLength(2);
  });
});

describe('the contact of a key whose receiver is suspended', () => {
  /** The mails to an address. */
  async function mailsTo(address: string) {
    const outbox = join(service.directory, 'outbox');
    const mails = await Promise.all(mailsIn(outbox).map((file) => PostalMime.parse(readFileSync(join(outbox, file)))));
    return mails.filter(({ to }) => to?.some((reader) => reader.address === address));
  }

  test('gets a mail: what failed since when, what to do, and only the host of the URL', async () => {
    await suspend();
    const [event] = await endpointEvents(service, 'SuspensionMailed', 1);
    const [mail, ...others] = await mailsTo('ops@agent.example');
    expect(others).toEqual([]);
    expect(mail?.messageId).toBe(`<${event?.stream.slice('endpoint-'.length)}.1@waymark.localhost>`);
    expect(mail?.subject).toMatch(/^Webhooks of the API key pk_[0-9a-f]{6} are suspended$/);
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain('2026-11-21 03:00 UTC');
      expect(part).toContain('answered 500');
      expect(part).toContain('Trip planner');
      expect(part).toContain('POST http://localhost/api/webhooks/enable');
      expect(part).toContain('POST http://localhost/api/webhooks/recover');
      expect(part).not.toContain('hooks/t0ken');
    }
    // A recovery with the time in the mail sends all failed deliveries.
    const since = /"since": "([^"]+)"/.exec(mail?.text ?? '')?.[1];
    answering(200);
    await service.post(ENABLE, {}, caller);
    await log();
    expect((await service.post('/api/webhooks/recover', { since }, caller)).data).toMatchObject({ resent: 2 });
  });

  test('gets one mail per suspension, also across restarts', async () => {
    await suspend();
    await endpointEvents(service, 'SuspensionMailed', 1);
    await service.restart();
    await service.post(ENABLE, {}, caller);
    await suspend({}, 5 * DAY_MS, 2);
    await endpointEvents(service, 'SuspensionMailed', 2);
    await service.restart();
    const ids = (await mailsTo('ops@agent.example')).map(({ messageId }) => messageId?.replace(/^<ep_\w+/, ''));
    expect(ids).toHaveLength(2);
    expect(new Set(ids)).toEqual(new Set(['.1@waymark.localhost>', '.2@waymark.localhost>']));
  });

  test('is missing: the suspension is only logged', async () => {
    await service.patch('/api/keys/self', { contact_email: null }, caller);
    await suspend();
    const [event] = await endpointEvents(service, 'SuspensionMailFailed', 1);
    expect<object | undefined>(event?.data).toMatchObject({ reason: 'no contact address', retryAtMs: null });
    expect(service.logged.map(({ happening }) => happening)).toContain('webhook endpoint suspended');
  });
});
