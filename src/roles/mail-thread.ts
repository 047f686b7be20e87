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
  void handle(data);
});

async function handle(message: ToMailThread): Promise<void> {
  switch (message.kind) {
    case 'open':
      mailer = openMailer(message.route);
      return;
    case 'send':
      return tell({ kind: 'ended', id: message.id, outcome: await outcomeOf(message.letter) });
    default:
      await mailer?.close();
      return tell({ kind: 'closed' });
  }
}

async function outcomeOf(letter: Letter): Promise<MailOutcome> {
  try {
    if (mailer === undefined) throw new Error('the mail thread was not opened');
    return await deliver(letter, mailer);
  } catch (fault) {
    return { kind: 'failed', reason: fault instanceof Error ? fault.name : 'unknown', permanent: false };
  }
}

function tell(message: FromMailThread): void {
  postMessage(message);
}
