import type { AuditEvent } from '../../../src/domain/audit/audit.ts';
import type { OperatorId } from '../../../src/domain/ids.ts';
import { deviceId, venueId } from '../../support/examples.ts';

export const STORED_AUDIT_EVENTS = {
  'ActRequested.v1': {
    type: 'ActRequested',
    data: {
      caller: { kind: 'operator', id: 'op_3f0d9a52c1b84e67' as OperatorId, role: 'support' },
      operation: 'create_device',
      objects: ['bkk-sea-life'],
      fields: ['name'],
      address: '2001:db8::7',
      at: '2026-11-27T08:15:00.000Z',
    },
  },
  'ActAnswered.v1': {
    type: 'ActAnswered',
    data: {
      operation: 'create_device',
      objects: ['dev_8b5n7gk2m0q9'],
      at: '2026-11-27T08:15:00.000Z',
      status: 200,
      code: null,
    },
  },
  'GuestDataRead.v1': {
    type: 'GuestDataRead',
    data: {
      caller: { kind: 'device', id: deviceId('dev_8b5n7gk2m0q9'), venueId: venueId('bkk-sea-life') },
      operation: 'list_arrivals',
      objects: ['bk_7gk2m0q9xw4t1zc8rb5n'],
      fields: ['date'],
      address: null,
      at: '2026-11-27T08:20:00.000Z',
      status: 200,
      code: null,
    },
  },
} satisfies Record<string, AuditEvent>;
