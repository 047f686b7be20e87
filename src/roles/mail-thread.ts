import type { Mailer, MailOutcome } from '../ports/mailer.ts';
import { deliver, type Letter, type MailRoute, openMailer } from './letters.ts';

declare const self: Worker;

/** What the node's main thread sends. */
export type ToMailThread =
  | { readonly kind: 'open'; readonly route: MailRoute }
  | { readonly kind: 'send'; readonly id: number; readonly letter: Letter }
  | { readonly kind: 'close' };

/** What it is told. */
export type FromMailThread =
  | { readonly kind: 'ended'; readonly id: number; readonly outcome: MailOutcome }
  | { readonly kind: 'closed' };

let mailer: Mailer | undefined;

self.addEventListener('message', ({ data }: MessageEvent<ToMailThread>) => {
  // A fault here ends the thread, which answers for every letter that it had.
  if (data.kind === 'open') mailer = openMailer(data.route);
  else if (mailer !== undefined) void handle(data, mailer);
});

async function handle(message: Exclude<ToMailThread, { kind: 'open' }>, by: Mailer): Promise<void> {
  if (message.kind === 'send') {
    return tell({ kind: 'ended', id: message.id, outcome: await outcomeOf(message.letter, by) });
  }
  await by.close();
  tell({ kind: 'closed' });
}

async function outcomeOf(letter: Letter, by: Mailer): Promise<MailOutcome> {
  try {
    return await deliver(letter, by);
  } catch (fault) {
    return { kind: 'failed', reason: fault instanceof Error ? fault.name : 'unknown', permanent: false };
  }
}

function tell(message: FromMailThread): void {
  postMessage(message);
}
