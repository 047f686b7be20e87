import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openMailLimiter } from '../../../src/adapters/sqlite/mail-limiter.ts';
import { systemDigest } from '../../../src/adapters/system/digest.ts';
import { openStreams } from '../../../src/application/streams.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import type { MailOutcome } from '../../../src/ports/mailer.ts';
import type { MailSender, OutgoingMail } from '../../../src/vouchers/outgoing-mail.ts';
import { movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

type SentMail = { readonly mail: OutgoingMail; readonly answer: (outcome: MailOutcome) => void };

export type MailScene = ReturnType<typeof openMailScene>;

/** An event store with its streams, and a mail sender whose outcomes the test gives. */
export function openMailScene() {
  const directory = temporaryDirectory();
  const store = decoded(openEventStore(directory.file('events.db')));
  const mailLimiter = openMailLimiter(directory.file('mails.db'));
  const [clock, log] = [movedClock(), collectedLog()];
  const system = createActorSystem({ clock, log, limits: ACTOR_LIMITS });
  const streams = openStreams({ store, ids: seededIds(), system });
  const outbox: SentMail[] = [];
  let sent = (): void => {};
  const sender: MailSender = {
    send: (mail) =>
      new Promise((answer) => {
        outbox.push({ mail, answer });
        sent();
      }),
    async close() {
      for (const { answer } of outbox) answer({ kind: 'failed', reason: 'closed', permanent: false });
    },
  };
  return {
    store,
    mailLimiter,
    digest: systemDigest(Buffer.alloc(32, 1)),
    clock,
    log,
    streams,
    outbox,
    sender,
    /** The n-th mail, once the sender has it. */
    async mailNumber(count: number): Promise<SentMail> {
      await new Promise<void>((resolve) => {
        sent = () => outbox.length >= count && resolve();
        sent();
      });
      const last = outbox[count - 1];
      if (last === undefined) throw new Error('no mail');
      return last;
    },
    /** The recorded events of mails, once there are `count`. */
    async mailEvents(count: number): Promise<readonly Pick<StoredEvent, 'type' | 'data'>[]> {
      const events: StoredEvent[] = [];
      for await (const batch of store.subscribe({ after: START, signal: new AbortController().signal })) {
        events.push(...batch.events.filter(({ type }) => /^\w+Mail(ed|Failed)\./.test(type)));
        if (events.length >= count) break;
      }
      return events.map(({ type, data }) => ({ type, data }));
    },
    async [Symbol.asyncDispose]() {
      await system.drain();
      await store.close();
      await mailLimiter.close();
      directory.remove();
    },
  };
}
