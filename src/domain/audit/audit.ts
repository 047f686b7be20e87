import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { VenueId } from '../activity/activity.ts';
import type { DeviceId, OperatorId } from '../ids.ts';
import type { Role } from '../operator/roles.ts';

/** One audited request. Each has a separate stream, so that requests on several nodes never conflict. */
export type AuditId = string & { readonly __brand: 'AuditId' };

/** With the role that the operator had at that time. */
export type AuditedCaller =
  | { readonly kind: 'operator'; readonly id: OperatorId; readonly role: Role }
  | { readonly kind: 'device'; readonly id: DeviceId; readonly venueId: VenueId };

/** What a request asked for. The event's cause has the request id. Nothing here is data of a guest. */
export type AuditedRequest = {
  readonly caller: AuditedCaller;
  /** The `operationId`. */
  readonly operation: string;
  /** The ids of what the request names; of a read, also the ids of what the answer shows. */
  readonly objects: readonly string[];
  /** The names of the fields that the request sent, without their values. */
  readonly fields: readonly string[];
  /** The client's address; null if unknown. */
  readonly address: string | null;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** `code` is the error code of a refusal or fault; null for success. */
export type AuditedOutcome = { readonly status: number; readonly code: string | null };

/** These types are the storage format. */
export type AuditEvent =
  /** Stored before the act. */
  | { readonly type: 'ActRequested'; readonly data: AuditedRequest }
  /** Stored before the answer. `at` and `operation` are those of the request, `objects` the ids of what the act created. */
  | {
      readonly type: 'ActAnswered';
      readonly data: Pick<AuditedRequest, 'operation' | 'objects' | 'at'> & AuditedOutcome;
    }
  /** Stored before the answer that shows the data. */
  | { readonly type: 'GuestDataRead'; readonly data: AuditedRequest & AuditedOutcome };

type Data<Type extends AuditEvent['type']> = Extract<AuditEvent, { type: Type }>['data'];

export type AuditCommand =
  | { readonly type: 'RequestAct'; readonly request: AuditedRequest }
  | { readonly type: 'AnswerAct'; readonly answer: Data<'ActAnswered'> }
  | { readonly type: 'RecordRead'; readonly read: Data<'GuestDataRead'> };

export type AuditEntry = { readonly status: 'none' | 'requested' | 'answered' };

export const auditDecider: Decider<AuditCommand, AuditEntry, AuditEvent, never> = {
  initial: { status: 'none' },
  decide(command, { status }) {
    switch (command.type) {
      case 'RequestAct':
        return status === 'none' ? accept({ type: 'ActRequested', data: command.request }) : accept();
      case 'AnswerAct':
        return status === 'requested' ? accept({ type: 'ActAnswered', data: command.answer }) : accept();
      case 'RecordRead':
        return status === 'none' ? accept({ type: 'GuestDataRead', data: command.read }) : accept();
      default:
        return unreachable(command);
    }
  },
  evolve: (_entry, { type }) => ({ status: type === 'ActRequested' ? 'requested' : 'answered' }),
};

export const auditCodec = codec<AuditEvent>('audit', { ActRequested: [], ActAnswered: [], GuestDataRead: [] });
