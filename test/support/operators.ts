import type { OperatorId } from '../../src/domain/ids.ts';
import type { OperatorEvent, OperatorFacts } from '../../src/domain/operator/operator.ts';
import type { Role } from '../../src/domain/operator/roles.ts';
import { type Credentials, type Service, withToken } from './service.ts';
import type { Operator } from './service-answers.ts';

/** A new operator, and the headers with its token. */
export async function createOperator(
  service: Service,
  role: Role,
  name = `A ${role}`,
): Promise<Operator & { readonly headers: Credentials }> {
  const { data } = await service.post<Operator>('/api/operators', { name, role }, service.admin);
  return { ...data, headers: withToken(data.token) };
}

export const OPERATOR_FACTS: OperatorFacts = {
  name: 'Mai',
  role: 'support',
  operatorId: 'op_1' as OperatorId,
  hash: 'first',
  at: '2026-11-27T03:00:00.000Z',
};
const AT = '2026-11-27T04:00:00.000Z';

export const OPERATOR_CREATED: OperatorEvent = { type: 'OperatorCreated', data: OPERATOR_FACTS };
export const OPERATOR_CHANGED: OperatorEvent = {
  type: 'OperatorChanged',
  data: { changes: { role: 'viewer' }, at: AT },
};
export const OPERATOR_ROTATED: OperatorEvent = { type: 'OperatorTokenRotated', data: { hash: 'second', at: AT } };
export const OPERATOR_REVOKED: OperatorEvent = { type: 'OperatorRevoked', data: { at: AT } };
