import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../ports/log.ts';
import type { Mailer, MailOutcome } from '../ports/mailer.ts';
import { ATTEMPT_MS, deliver, type Letter, type MailRoute, openMailer } from './letters.ts';
import type { FromMailThread, ToMailThread } from './mail-thread.ts';

/** Letters with the thread at once; one more is told that it is full. The mailer itself has fewer under way. */
const MAX_IN_THREAD = 256;
/** An attempt ends by itself; a thread that does not answer even then hangs, and is replaced. */
const HUNG_MS = ATTEMPT_MS + 15_000;
/** More than a mailer takes to give up what is under way. */
const CLOSE_MS = 3_000;

/** Sends letters, wherever that is done. Every letter has an outcome, none is thrown. */
export type MailSender = {
  send(letter: Letter): Promise<MailOutcome>;
  /** Takes nothing more, gives what is under way a moment, and fails the rest. */
  close(): Promise<void>;
};

/** As configured; with a mailer of the caller's own, in this thread. */
export function openMailSender(
  { mail, dataDirectory }: Pick<Config, 'mail' | 'dataDirectory'>,
  mailer: Mailer | null,
  log: Log,
): MailSender {
  const { server, ca, connections, thread } = mail;
  const route = { server, ca, connections, outbox: join(dataDirectory, 'outbox') };
  if (mailer !== null) return sendHere(mailer);
  return thread ? sendInThread(route, log) : sendHere(openMailer(route));
}

/** Sends in this thread. */
function sendHere(mailer: Mailer): MailSender {
  return { send: (letter) => deliver(letter, mailer), close: () => mailer.close() };
}

/**
 * Sends in a thread of its own: drawing the QR code, putting the mail together, and encrypting the connection then keep
 * no request waiting. The thread is started by the first letter, and another one by the first after a crash.
 */
export function sendInThread(route: MailRoute, log: Log): MailSender {
  return new Remote(route, log);
}

type Waiting = { readonly answer: (outcome: MailOutcome) => void; readonly hung: ReturnType<typeof setTimeout> };

class Remote implements MailSender {
  readonly #route: MailRoute;
  readonly #log: Log;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #letters = 0;
  #closed: (() => void) | null = null;

  constructor(route: MailRoute, log: Log) {
    this.#route = route;
    this.#log = log;
  }

  send(letter: Letter): Promise<MailOutcome> {
    if (this.#closed !== null) return Promise.resolve(failed('stopping'));
    if (this.#waiting.size >= MAX_IN_THREAD) return Promise.resolve(failed('mail thread full'));
    const worker = this.#worker ?? this.#start();
    const id = ++this.#letters;
    return new Promise((resolve) => {
      const hung = setTimeout(() => this.#lose(worker, 'hung'), HUNG_MS);
      this.#waiting.set(id, { answer: resolve, hung });
      post(worker, { kind: 'send', id, letter });
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    if (worker === null) return;
    post(worker, { kind: 'close' });
    const enough = setTimeout(() => this.#closed?.(), CLOSE_MS);
    await closed;
    clearTimeout(enough);
    this.#lose(worker, 'stopping');
  }

  #start(): Worker {
    const worker = new Worker(new URL('./mail-thread.ts', import.meta.url));
    worker.addEventListener('message', ({ data }: MessageEvent<FromMailThread>) => this.#hear(data));
    worker.addEventListener('error', ({ message }: ErrorEvent) => this.#lose(worker, message));
    worker.addEventListener('close', () => this.#lose(worker, 'ended'));
    post(worker, { kind: 'open', route: this.#route });
    this.#worker = worker;
    return worker;
  }

  #hear(message: FromMailThread): void {
    if (message.kind === 'closed') return this.#closed?.();
    this.#answer(message.id, message.outcome);
  }

  #answer(id: number, outcome: MailOutcome): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.hung);
    waiting.answer(outcome);
  }

  /** All that this thread had is answered as failed, and is tried again in its time by another one. */
  #lose(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    worker.terminate();
    if (this.#closed === null) this.#log.error('mail thread lost', { why, letters: this.#waiting.size });
    for (const id of this.#waiting.keys()) this.#answer(id, failed('mail thread lost'));
  }
}

function post(worker: Worker, message: ToMailThread): void {
  worker.postMessage(message);
}

function failed(reason: string): MailOutcome {
  return { kind: 'failed', reason, permanent: false };
}
