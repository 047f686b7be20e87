import { PriorityQueue } from '../../collections/priority-queue.ts';
import type { EndpointEvent, EndpointId } from '../../domain/endpoint/endpoint.ts';
import { streamId, unreachable } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';
import { dueMails, enqueue, type PendingMail, type PendingMails } from '../pending-mails.ts';

/** Mail the key's contact that the endpoint is suspended. */
export type SendSuspensionMailsCommand = { readonly type: 'MailSuspension'; readonly endpoint: EndpointId };

export type SendSuspensionMailsState = PendingMails<PendingMail<EndpointId>>;

/**
 * Mails every suspension until the mail server accepts it, the attempts are used up or the endpoint is enabled again.
 */
export const sendSuspensionMails: ProcessManager<SendSuspensionMailsState, EndpointEvent, SendSuspensionMailsCommand> =
  {
    // Names the checkpoint stream; never renamed.
    name: 'suspension-mailer',
    categories: ['endpoint'],
    initial: new PriorityQueue(),
    react(state, event) {
      const { position } = event;
      const id = streamId(event.stream) as EndpointId;
      switch (event.type) {
        case 'EndpointSuspended':
          return enqueue(state, { id, position, dueMs: 0 });
        case 'SuspensionMailed':
        case 'EndpointEnabled':
          return state.without(id);
        case 'SuspensionMailFailed': {
          const { retryAtMs } = event.data;
          return retryAtMs === null ? state.without(id) : enqueue(state, { id, position, dueMs: retryAtMs });
        }
        case 'EndpointFailing':
        case 'EndpointRecovered':
          return state;
        default:
          return unreachable(event);
      }
    },
    due: (state, nowMs, room) =>
      dueMails(state, nowMs, room).map(({ id: endpoint }) => ({ type: 'MailSuspension', endpoint })),
    done: (state) => state,
    oldestOpen: (state) => oldestPosition(state.values()),
  };

/** Commands with the same key do not run at the same time. */
export function sendSuspensionMailsKey({ endpoint }: SendSuspensionMailsCommand): string {
  return endpoint;
}
