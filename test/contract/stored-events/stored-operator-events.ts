import type { OperatorId } from '../../../src/domain/ids.ts';
import type { OperatorEvent } from '../../../src/domain/operator/operator.ts';

/** What the golden files of operators mean today. */
export const STORED_OPERATOR_EVENTS = {
  'OperatorCreated.v1': {
    type: 'OperatorCreated',
    data: {
      name: 'Nguyễn Thị Mai, front desk',
      role: 'support',
      operatorId: 'op_h76cfakt2c43vdqm' as OperatorId,
      hash: '7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a',
      at: '2026-11-27T03:00:00.000Z',
    },
  },
  'OperatorChanged.v1': {
    type: 'OperatorChanged',
    data: { changes: { role: 'viewer' }, at: '2026-11-27T04:00:00.000Z' },
  },
  'OperatorTokenRotated.v1': {
    type: 'OperatorTokenRotated',
    data: {
      hash: '3b52c9d1f0a7e6843b52c9d1f0a7e6843b52c9d1f0a7e6843b52c9d1f0a7e684',
      at: '2026-11-27T05:00:00.000Z',
    },
  },
  'OperatorRevoked.v1': { type: 'OperatorRevoked', data: { at: '2026-11-28T03:00:00.000Z' } },
} satisfies Record<string, OperatorEvent>;
