import { expect, test } from 'bun:test';
import { refusalText } from '../../../src/mcp/error-text.ts';

test('a refusal because of another price has the user asked before the next call', () => {
  const failure = {
    code: 'PRICE_CHANGED',
    error: 'The total is 241 THB now.',
    details: '',
    resolution: 'fix_request',
    retryable: false,
    alternatives: [{ total: 241, currency: 'THB' }],
    retryAfterSeconds: null,
  };
  expect(refusalText(failure, { repeatAdvice: '', parameters: ['expected_total'] }).split('\n')).toEqual([
    'PRICE_CHANGED: The total is 241 THB now.',
    'What to do: ask the user whether they agree to the total below; only if they do, call the tool again with it as expected_total.',
    'Alternatives: [{"total":241,"currency":"THB"}]',
  ]);
});
