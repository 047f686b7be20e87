import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { type ActorSystem, createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openStreams, type Streams } from '../../../src/application/streams.ts';
import type { Begun } from '../../../src/application/under-lease.ts';
import type { KeyFacts } from '../../../src/domain/apikey/apikey.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { EventStore, StoredEvent } from '../../../src/ports/event-store.ts';
import type { MailOutcome } from '../../../src/ports/mailer.ts';
import type { Letter } from '../../../src/roles/letters.ts';
import { runSuspensionMails } from '../../../src/roles/suspension-mails.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { endpointId, keyId } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const KEY = keyId('key_4c9a1f70b2de');
const ENDPOINT = endpointId('ep_2m7x0k4q9w1t6c8r3z5v0n7d');
const ACCEPTED: MailOutcome = { kind: 'accepted', providerId: '250 OK' };
const REFUSED: MailOutcome = { kind: 'failed', reason: 'RCPT TO 450', permanent: false };
const MESSAGE_ID = `<${ENDPOINT}.1@waymark.example>`;

let directory: ReturnType<typeof temporaryDirectory>;
let store: EventStore;
let system: ActorSystem;
let streams: Streams;
let clock: MovedClock;
let log: ReturnType<typeof collectedLog>;
let mails: Begun;
let letters: { readonly letter: Letter; readonly answer: (outcome: MailOutcome) => void }[];
let sent: () => void;

beforeEach(() => {
  directory = temporaryDirectory();
  store = openEventStore(directory.file('events.db'));
  clock = movedClock();
  log = collectedLog();
  system = createActorSystem({ clock, log, limits: ACTOR_LIMITS });
  streams = openStreams({ store, ids: seededIds(), system });
  letters = [];
  sent = () => {};
});
afterEach(async () => {
  await mails.stop();
  await system.drain();
  await store.close();
  directory.remove();
});

async function start(domain = 'waymark.example'): Promise<void> {
  mails = await runSuspensionMails({
    webhooks: {
      streams,
      store,
      clock,
      ids: seededIds(2),
      log,
      webhookLimits: { timeoutMs: 30_000, logDays: 90, suspendDays: 5 },
    },
    config: { from: { name: 'Waymark', address: `no-reply@${domain}` }, connections: 2 },
    publicUrl: () => 'https://waymark.example',
    giveUp: () => {},
    sender: {
      send: (letter) =>
        new Promise((answer) => {
          letters.push({ letter, answer });
          sent();
        }),
      async close() {
        for (const { answer } of letters) answer({ kind: 'failed', reason: 'closed', permanent: false });
      },
    },
  });
}

/** A key, and its receiver that has failed for five days. */
async function suspend(contactEmail: string | null = 'ops@agent.example'): Promise<void> {
  const deadlineMs = clock.nowMs() + 60_000;
  const at = '2026-11-21T03:00:00.000Z';
  const facts: KeyFacts = {
    keyId: KEY,
    name: 'Trip\nplanner',
    plan: 'free',
    permissions: [],
    webhookUrl: 'https://agent.example/hooks/t0ken',
    webhookEvents: null,
    ipAllowlist: null,
    contactEmail,
    expiresAt: null,
    hash: 'HASH',
    prefix: 'pk_9c41d7',
    webhookSecret: 'SEALED',
    at,
  };
  await streams.apiKeys.handle(KEY, { type: 'CreateKey', facts }, SOME_CAUSE, deadlineMs);
  const gaveUpAt = '2026-11-26T03:00:00.000Z';
  const report = {
    type: 'ReportAttempts',
    facts: { keyId: KEY, kind: 'key', origin: 'https://agent.example' },
    report: { succeededAt: null, failures: { firstAt: at, lastAt: gaveUpAt, gaveUpAt, error: 'answered 503' } },
    suspendAfterMs: 1,
    at: gaveUpAt,
  } as const;
  expect(await streams.endpoints.handle(ENDPOINT, report, SOME_CAUSE, deadlineMs)).toMatchObject({ kind: 'accepted' });
}

/** The letter of that number, once it was given to the sender. */
async function letterNumber(count: number): Promise<(typeof letters)[number]> {
  await new Promise<void>((resolve) => {
    sent = () => letters.length >= count && resolve();
    sent();
  });
  const last = letters[count - 1];
  if (last === undefined) throw new Error('no letter');
  return last;
}

/** What is recorded of the mail, once there is so much of it. */
async function mailEvents(count: number): Promise<readonly Pick<StoredEvent, 'type' | 'data'>[]> {
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ after: START, signal: new AbortController().signal })) {
    events.push(...batch.events.filter(({ type }) => type.startsWith('SuspensionMail')));
    if (events.length >= count) break;
  }
  return events.map(({ type, data }) => ({ type, data }));
}

const recordedAt = () => new Date(clock.nowMs()).toISOString();

describe('the mail about a suspension', () => {
  test("goes to the key's contact, and tells nothing of the URL but its host", async () => {
    await start();
    await suspend();
    const { letter, answer } = await letterNumber(1);
    expect(letter).toMatchObject({
      messageId: MESSAGE_ID,
      from: { name: 'Waymark', address: 'no-reply@waymark.example' },
      to: { name: '', address: 'ops@agent.example' },
      subject: 'Webhooks to agent.example are suspended',
      language: 'en',
      dateMs: clock.nowMs(),
      qr: null,
    });
    expect(letter.text).toContain('the API key "Trip planner" (pk_9c41d7)');
    expect(`${letter.text}${letter.html}`).not.toContain('t0ken');
    answer(ACCEPTED);
    const data = { issue: 1, messageId: MESSAGE_ID, providerId: '250 OK', at: recordedAt() };
    expect(await mailEvents(1)).toEqual([{ type: 'SuspensionMailed.v1', data }]);
  });

  test('is tried again with the same Message-ID, also by a sender of another domain after a restart', async () => {
    await start();
    await suspend();
    (await letterNumber(1)).answer(REFUSED);
    const data = { issue: 1, messageId: MESSAGE_ID, attempt: 1, reason: 'RCPT TO 450', at: recordedAt() };
    expect(await mailEvents(1)).toEqual([
      { type: 'SuspensionMailFailed.v1', data: { ...data, retryAtMs: clock.nowMs() + 10_000 } },
    ]);
    await mails.stop();
    letters = [];
    await start('tours.example');
    clock.advance(10_000);
    const { letter, answer } = await letterNumber(1);
    expect(letter.messageId).toBe(MESSAGE_ID);
    answer(ACCEPTED);
    expect(await mailEvents(2)).toMatchObject([{ type: 'SuspensionMailFailed.v1' }, { type: 'SuspensionMailed.v1' }]);
  });

  test('that was under way at a stop is repeated after the start, and not recorded as failed', async () => {
    await start();
    await suspend();
    await letterNumber(1);
    await mails.stop();
    letters = [];
    await start();
    const { letter, answer } = await letterNumber(1);
    expect(letter.messageId).toBe(MESSAGE_ID);
    answer(ACCEPTED);
    expect(await mailEvents(1)).toMatchObject([{ type: 'SuspensionMailed.v1' }]);
  });

  test('is no mail where the key has no contact: the log tells of it', async () => {
    await start();
    await suspend(null);
    expect(await mailEvents(1)).toMatchObject([
      { type: 'SuspensionMailFailed.v1', data: { reason: 'no contact address', retryAtMs: null } },
    ]);
    expect(letters).toEqual([]);
    expect(log.lines.map(({ level, happening }) => `${level} ${happening}`)).toEqual([
      'warn webhook endpoint suspended',
      'warn suspension mail failed',
    ]);
  });
});
