import { describe, test } from 'bun:test';
import fc from 'fast-check';
import type { OperatorId } from '../../../src/domain/ids.ts';
import { type OperatorCommand, type OperatorEvent, operatorDecider } from '../../../src/domain/operator/operator.ts';
import { ROLES } from '../../../src/domain/operator/roles.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { given as givenOf } from '../../support/given.ts';
import {
  OPERATOR_CHANGED,
  OPERATOR_CREATED,
  OPERATOR_FACTS,
  OPERATOR_REVOKED,
  OPERATOR_ROTATED,
} from '../../support/operators.ts';

const AT = '2026-11-27T04:00:00.000Z';
const given = (...events: readonly OperatorEvent[]) => givenOf(operatorDecider, events);
const create = { type: 'CreateOperator', facts: OPERATOR_FACTS } as const;
const change: OperatorCommand = { type: 'ChangeOperator', changes: { name: 'Mai', role: 'viewer' }, at: AT };
const rotate: OperatorCommand = { type: 'RotateOperatorToken', hash: 'second', at: AT };
const revoke: OperatorCommand = { type: 'RevokeOperator', at: AT };

describe('an operator', () => {
  test('is created once', () => {
    given().when(create).then([OPERATOR_CREATED]);
    given(OPERATOR_CREATED).when(create).thenNothing();
    given(OPERATOR_CREATED)
      .when({ ...create, facts: { ...OPERATOR_FACTS, hash: 'another' } })
      .thenRejected({ code: 'OPERATOR_EXISTS' });
  });

  test('changes only in what differs', () => {
    given(OPERATOR_CREATED).when(change).then([OPERATOR_CHANGED]);
    given(OPERATOR_CREATED, OPERATOR_CHANGED).when(change).thenNothing();
    given(OPERATOR_CREATED).when({ type: 'ChangeOperator', changes: {}, at: AT }).thenNothing();
  });

  test('gets a new token', () => {
    given(OPERATOR_CREATED).when(rotate).then([OPERATOR_ROTATED]);
    given(OPERATOR_CREATED, OPERATOR_ROTATED).when(rotate).thenNothing();
  });

  test('is revoked for good', () => {
    given(OPERATOR_CREATED).when(revoke).then([OPERATOR_REVOKED]);
    given(OPERATOR_CREATED, OPERATOR_REVOKED).when(revoke).thenNothing();
    for (const command of [change, rotate])
      given(OPERATOR_CREATED, OPERATOR_REVOKED).when(command).thenRejected({ code: 'OPERATOR_REVOKED', at: AT });
  });

  test('that does not exist cannot be changed', () => {
    for (const command of [change, rotate, revoke]) given().when(command).thenRejected({ code: 'OPERATOR_NOT_FOUND' });
  });
});

const text = fc.constantFrom('one', 'two', 'three');
const role = fc.constantFrom(...ROLES);
const at = fc.constantFrom(AT, '2026-11-28T03:00:00.000Z');
const anyCommand: fc.Arbitrary<OperatorCommand> = fc.oneof(
  fc.record({ name: text, role, hash: text }).map((facts) => ({
    type: 'CreateOperator' as const,
    facts: { ...facts, operatorId: 'op_1' as OperatorId, at: AT },
  })),
  fc.record({
    type: fc.constant('ChangeOperator' as const),
    changes: fc.record({ name: text, role }, { requiredKeys: [] }),
    at,
  }),
  fc.record({ type: fc.constant('RotateOperatorToken' as const), hash: text, at }),
  fc.record({ type: fc.constant('RevokeOperator' as const), at }),
);

test('a command decided twice adds nothing the second time', () => decidedTwice(operatorDecider, anyCommand));
