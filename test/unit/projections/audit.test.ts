import { describe, expect, test } from 'bun:test';
import { auditProjection } from '../../../projections/audit/projection.ts';
import type { AuditEntryDocument } from '../../../projections/audit/read-model.ts';
import type { AuditEvent, AuditId } from '../../../src/domain/audit/audit.ts';
import type { OperatorId } from '../../../src/domain/ids.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const ID = 'aud_1' as AuditId;
const OPERATOR = 'op_1' as OperatorId;
const AT = '2026-11-27T08:15:00.000Z';
const REQUEST = {
  caller: { kind: 'operator', id: OPERATOR, role: 'support' },
  operation: 'create_device',
  objects: ['old-pier'],
  fields: ['name'],
  address: '192.0.2.7',
  at: AT,
} as const;
const REQUESTED: AuditEvent = { type: 'ActRequested', data: REQUEST };
const ANSWERED: AuditEvent = {
  type: 'ActAnswered',
  data: { operation: 'create_device', objects: ['dev_1'], at: AT, status: 200, code: null },
};
const ENTRY: AuditEntryDocument = {
  auditId: ID,
  object: '',
  caller: OPERATOR,
  operation: 'create_device',
  at: AT,
  kind: 'act',
  by: REQUEST.caller,
  objects: ['old-pier'],
  fields: ['name'],
  address: '192.0.2.7',
  requestId: 'req_1',
  outcome: null,
};
const MENTION = { auditId: ID, caller: OPERATOR, operation: 'create_device', at: AT };

function log(...events: readonly AuditEvent[]) {
  const record = recorder();
  return events.map((event) => {
    const recorded = record(`audit-${ID}`, event);
    return { ...recorded, cause: { ...recorded.cause, by: OPERATOR, correlationId: 'req_1' } };
  });
}

describe('an audited request', () => {
  test('has an entry without an outcome, and a mention of each object, before it is answered', () => {
    givenEvents(auditProjection, ...log(REQUESTED))
      .thenDocument(ID, ENTRY)
      .thenDocument(`${ID}/old-pier`, { ...MENTION, object: 'old-pier' });
  });

  test('has an outcome, and a mention of what it created, after it', () => {
    givenEvents(auditProjection, ...log(REQUESTED, ANSWERED))
      .thenDocument(ID, { ...ENTRY, objects: ['old-pier', 'dev_1'], outcome: { status: 200, code: null } })
      .thenDocument(`${ID}/dev_1`, { ...MENTION, object: 'dev_1' });
  });

  test('that reads guests’ data has its outcome at once', () => {
    const read: AuditEvent = { type: 'GuestDataRead', data: { ...REQUEST, status: 404, code: 'BOOKING_NOT_FOUND' } };
    givenEvents(auditProjection, ...log(read)).thenDocument(ID, {
      ...ENTRY,
      kind: 'guest_read',
      outcome: { status: 404, code: 'BOOKING_NOT_FOUND' },
    });
  });

  test('is answered only after it was requested', () => {
    const [, answered] = log(REQUESTED, ANSWERED);
    expect(() => answered && auditProjection.evolve(null, answered, ID, String)).toThrow('before its request');
  });
});
