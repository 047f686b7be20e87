import { PriorityQueue } from '../../collections/priority-queue.ts';
import type { SpendingEvent, SpendingId } from '../../domain/spending/spending.ts';
import { streamId, unreachable } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';
import { dueMails, enqueue, type PendingMail, type PendingMails } from '../pending-mails.ts';

/** Mail the key's contact that the day's limit is nearly used up. */
export type SendSpendingMailsCommand = { readonly type: 'MailWarning'; readonly spending: SpendingId };

export type SendSpendingMailsState = PendingMails<PendingMail<SpendingId>>;

/** Mails every warning until the mail server accepts it or the attempts are used up, unless it is withdrawn before. */
export const sendSpendingMails: ProcessManager<SendSpendingMailsState, SpendingEvent, SendSpendingMailsCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'spending-mailer',
  categories: ['spending'],
  initial: new PriorityQueue(),
  react(state, event) {
    const { position } = event;
    const id = streamId(event.stream) as SpendingId;
    switch (event.type) {
      case 'SpendingWarned':
        return enqueue(state, { id, position, dueMs: event.data.mailAtMs });
      case 'SpendingWarningWithdrawn':
      case 'SpendingWarningMailed':
        return state.without(id);
      case 'SpendingWarningMailFailed': {
        const { retryAtMs } = event.data;
        return retryAtMs === null ? state.without(id) : enqueue(state, { id, position, dueMs: retryAtMs });
      }
      case 'SpendingReserved':
      case 'SpendingReleased':
      case 'SpendingEased':
        return state;
      default:
        return unreachable(event);
    }
  },
  due: (state, nowMs, room) =>
    dueMails(state, nowMs, room).map(({ id: spending }) => ({ type: 'MailWarning', spending })),
  done: (state) => state,
  oldestOpen: (state) => oldestPosition(state.values()),
};

/** Commands with the same key do not run at the same time. */
export function sendSpendingMailsKey({ spending }: SendSpendingMailsCommand): string {
  return spending;
}
