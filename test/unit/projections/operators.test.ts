import { expect, test } from 'bun:test';
import { operatorsProjection } from '../../../projections/operators/projection.ts';
import type { OperatorDocument } from '../../../projections/operators/read-model.ts';
import type { OperatorEvent } from '../../../src/domain/operator/operator.ts';
import { givenEvents } from '../../support/given.ts';
import {
  OPERATOR_CHANGED,
  OPERATOR_CREATED,
  OPERATOR_FACTS,
  OPERATOR_REVOKED,
  OPERATOR_ROTATED,
} from '../../support/operators.ts';
import { recorder } from '../../support/recorded.ts';

const { at, ...facts } = OPERATOR_FACTS;
const DOCUMENT: OperatorDocument = { ...facts, active: true, createdAt: at };

function given(...events: readonly OperatorEvent[]) {
  const record = recorder();
  return givenEvents(operatorsProjection, ...events.map((event) => record<OperatorEvent>('operator-op_1', event)));
}

test('the document of an operator has the latest name, role and token', () => {
  given(OPERATOR_CREATED).thenDocument('op_1', DOCUMENT);
  given(OPERATOR_CREATED, OPERATOR_CHANGED, OPERATOR_ROTATED).thenDocument('op_1', {
    ...DOCUMENT,
    role: 'viewer',
    hash: 'second',
  });
});

test('a revoked operator stays in the list', () => {
  given(OPERATOR_CREATED, OPERATOR_REVOKED).thenDocument('op_1', { ...DOCUMENT, active: false });
});

test('the collection is folded from operator streams alone, and has the index of the list', () => {
  expect([operatorsProjection.categories, operatorsProjection.indexes]).toEqual([['operator'], [['createdAt']]]);
});
