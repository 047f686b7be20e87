import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../ports/log.ts';
import type { Mailer, MailOutcome } from '../ports/mailer.ts';
import { type MailSender, type OutgoingMail, sendMail } from '../vouchers/outgoing-mail.ts';
import type { FromMailWorker, ToMailWorker } from './mail-worker.ts';
import { ATTEMPT_MS, type MailRoute, openMailer } from './mailer.ts';

/** Maximum number of mails in the worker; more are refused. The mailer itself sends fewer at once. */
const MAX_IN_WORKER = 256;
/** An attempt ends at its deadline; a worker that has not answered by then hangs, and is replaced. */
const HUNG_MS = ATTEMPT_MS + 15_000;
/** Longer than a mailer takes to abandon the attempts in progress. */
const CLOSE_MS = 3_000;

/** Opens the configured sender; a mailer that is passed in sends in this thread. */
export function openMailSender(
  { mail, dataDirectory }: Pick<Config, 'mail' | 'dataDirectory'>,
  mailer: Mailer | null,
  log: Log,
): MailSender {
  const { server, ca, connections, thread } = mail;
  const route = { server, ca, connections, outbox: join(dataDirectory, 'outbox') };
  if (mailer !== null) return sendInThisThread(mailer);
  return thread ? sendInWorker(route, log) : sendInThisThread(openMailer(route));
}

function sendInThisThread(mailer: Mailer): MailSender {
  return { send: (mail) => sendMail(mail, mailer), close: () => mailer.close() };
}

/**
 * Sends in a worker, so that drawing QR codes, composing mails and TLS delay no request. The first mail starts the worker;
 * after a crash the next mail starts another one.
 */
export function sendInWorker(route: MailRoute, log: Log): MailSender {
  return new WorkerSender(route, log);
}

type Waiting = { readonly answer: (outcome: MailOutcome) => void; readonly hung: ReturnType<typeof setTimeout> };

class WorkerSender implements MailSender {
  readonly #route: MailRoute;
  readonly #log: Log;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastId = 0;
  #closed: (() => void) | null = null;

  constructor(route: MailRoute, log: Log) {
    this.#route = route;
    this.#log = log;
  }

  send(mail: OutgoingMail): Promise<MailOutcome> {
    if (this.#closed !== null) return Promise.resolve(failed('stopping'));
    if (this.#waiting.size >= MAX_IN_WORKER) return Promise.resolve(failed('mail thread full'));
    const worker = this.#worker ?? this.#start();
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const hung = setTimeout(() => this.#lose(worker, 'hung'), HUNG_MS);
      this.#waiting.set(id, { answer: resolve, hung });
      post(worker, { kind: 'send', id, mail });
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
    const worker = new Worker(new URL('./mail-worker.ts', import.meta.url));
    worker.addEventListener('message', ({ data }: MessageEvent<FromMailWorker>) => this.#hear(data));
    worker.addEventListener('error', ({ message }: ErrorEvent) => this.#lose(worker, message));
    worker.addEventListener('close', () => this.#lose(worker, 'ended'));
    post(worker, { kind: 'open', route: this.#route });
    this.#worker = worker;
    return worker;
  }

  #hear(message: FromMailWorker): void {
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

  /** Answers every mail of this worker as failed; the process manager retries them. */
  #lose(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    worker.terminate();
    if (this.#closed === null) this.#log.error('mail thread lost', { why, mails: this.#waiting.size });
    for (const id of this.#waiting.keys()) this.#answer(id, failed('mail thread lost'));
  }
}

function post(worker: Worker, message: ToMailWorker): void {
  worker.postMessage(message);
}

function failed(reason: string): MailOutcome {
  return { kind: 'failed', reason, permanent: false };
}
