import { platform, setPriority } from 'node:os';
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

/** Under load a tenth of what the thread that answers requests gets of a processor; all of one that is idle. */
const NICE = 10;

let mailer: Mailer | undefined;

giveWay();

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

/** On Linux a priority is a thread's own; elsewhere it is the whole process's, and is left alone. */
function giveWay(): void {
  if (platform() !== 'linux') return;
  try {
    setPriority(NICE);
  } catch {
    // Where a sandbox forbids it, mails are sent at the common priority.
  }
}
