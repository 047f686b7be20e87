import { unreachable } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import { dueMails, noMails, type OwedMails, oldestOwed, owing, settled } from '../owed-mails.ts';
import type { EndpointEvent, EndpointId } from './endpoint.ts';

/** Tell the key's contact that the endpoint is suspended. */
export type SuspensionMailerCommand = { readonly type: 'MailSuspension'; readonly endpoint: EndpointId };

export type SuspensionMailerState = OwedMails<EndpointId>;

/** Owes a mail for every suspension, until it was accepted or given up, or the suspension was ended. */
export const suspensionMailer: ProcessManager<SuspensionMailerState, EndpointEvent, SuspensionMailerCommand> = {
  name: 'suspension-mailer',
  categories: ['endpoint'],
  initial: noMails(),
  react(state, event) {
    const { position } = event;
    const id = event.stream.slice('endpoint-'.length) as EndpointId;
    switch (event.type) {
      case 'EndpointSuspended':
        return owing(state, { id, position, dueMs: 0 });
      case 'SuspensionMailed':
      case 'EndpointEnabled':
        return settled(state, id);
      case 'SuspensionMailFailed': {
        const { retryAtMs } = event.data;
        return retryAtMs === null ? settled(state, id) : owing(state, { id, position, dueMs: retryAtMs });
      }
      case 'EndpointFailing':
      case 'EndpointRecovered':
        return state;
      default:
        return unreachable(event);
    }
  },
  due: (state, nowMs, room) => dueMails(state, nowMs, room).map((endpoint) => ({ type: 'MailSuspension', endpoint })),
  done: (state) => state,
  oldestOpen: oldestOwed,
};

/** Of the same endpoint only one is under way. */
export function suspensionMailerKey({ endpoint }: SuspensionMailerCommand): string {
  return endpoint;
}
