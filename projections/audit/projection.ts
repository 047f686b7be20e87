import type { AuditEvent, AuditId } from '../../src/domain/audit/audit.ts';
import { type Recorded, streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { AuditDocument, AuditEntryDocument } from './read-model.ts';

/** One document per audited request, keyed by its id, and one per object that it names, keyed `{id}/{object}`. */
export const auditProjection: Projection<AuditDocument, AuditEvent> = {
  name: 'audit',
  version: 1,
  categories: ['audit'],
  indexes: [
    ['object', 'at'],
    ['object', 'caller', 'at'],
    ['object', 'operation', 'at'],
    ['object', 'caller', 'operation', 'at'],
  ],
  idsOf({ stream, data }) {
    const entry = streamId(stream);
    return [entry, ...data.objects.map((object) => `${entry}/${object}`)];
  },
  evolve(doc, event, id) {
    const auditId = streamId(event.stream) as AuditId;
    if (id !== auditId) return mention(auditId, id.slice(auditId.length + 1), event);
    if (event.type !== 'ActAnswered') return requested(auditId, event);
    if (doc === null || !('objects' in doc)) throw new Error(`${event.type} of ${event.stream} before its request`);
    const { status, code, objects } = event.data;
    return { ...doc, objects: [...doc.objects, ...objects], outcome: { status, code } };
  },
};

function requested(
  auditId: AuditId,
  event: Recorded<Exclude<AuditEvent, { type: 'ActAnswered' }>>,
): AuditEntryDocument {
  const { caller: by, operation, objects, fields, address, at } = event.data;
  const isRead = event.type === 'GuestDataRead';
  return {
    auditId,
    object: '',
    caller: by.id,
    operation,
    at,
    kind: isRead ? 'guest_read' : 'act',
    by,
    objects,
    fields,
    address,
    requestId: event.cause.correlationId,
    outcome: isRead ? { status: event.data.status, code: event.data.code } : null,
  };
}

function mention(auditId: AuditId, object: string, { data, cause }: Recorded<AuditEvent>): AuditDocument {
  return { auditId, object, caller: cause.by, operation: data.operation, at: data.at };
}
