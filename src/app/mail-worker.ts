import { platform, setPriority } from 'node:os';
import type { Mailer, MailOutcome } from '../ports/mailer.ts';
import { type OutgoingMail, sendMail } from '../vouchers/outgoing-mail.ts';
import { type MailRoute, openMailer } from './mailer.ts';

declare const self: Worker;

/** Messages of the main thread to the worker. */
export type ToMailWorker =
  | { readonly kind: 'open'; readonly route: MailRoute }
  | { readonly kind: 'send'; readonly id: number; readonly mail: OutgoingMail }
  | { readonly kind: 'close' };

/** Messages of the worker to the main thread. */
export type FromMailWorker =
  | { readonly kind: 'ended'; readonly id: number; readonly outcome: MailOutcome }
  | { readonly kind: 'closed' };

/** Unix nice value: under load the worker gets about a tenth of the main thread's CPU share; an idle CPU wholly. */
const NICE = 10;

let mailer: Mailer | undefined;

lowerPriority();

self.addEventListener('message', ({ data }: MessageEvent<ToMailWorker>) => {
  // A fault here ends the worker; the main thread then answers every mail of it as failed.
  if (data.kind === 'open') mailer = openMailer(data.route);
  else if (mailer !== undefined) void handle(data, mailer);
});

async function handle(message: Exclude<ToMailWorker, { kind: 'open' }>, by: Mailer): Promise<void> {
  if (message.kind === 'send') {
    return reply({ kind: 'ended', id: message.id, outcome: await outcomeOf(message.mail, by) });
  }
  await by.close();
  reply({ kind: 'closed' });
}

async function outcomeOf(mail: OutgoingMail, by: Mailer): Promise<MailOutcome> {
  try {
    return await sendMail(mail, by);
  } catch (fault) {
    return { kind: 'failed', reason: fault instanceof Error ? fault.name : 'unknown', permanent: false };
  }
}

function reply(message: FromMailWorker): void {
  postMessage(message);
}

/** On Linux the priority belongs to the thread; elsewhere it belongs to the whole process and is left alone. */
function lowerPriority(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(NICE);
  } catch {
    // A sandbox may forbid it; then mails are sent at normal priority.
  }
}
