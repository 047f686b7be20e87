import { describe, expect, test } from 'bun:test';
import { ERROR_CODES, refusal } from '../../../src/application/refusal.ts';
import { challengeOf } from '../../../src/http/challenge.ts';
import { failureResponse } from '../../../src/http/envelope.ts';
import { STATUS } from '../../../src/http/status.ts';

/** RFC 9110, 11.2: a scheme, and attributes that are tokens with quoted texts. */
const CHALLENGE = /^[A-Za-z]+ [a-z]+="[^"\\]+"(, [a-z]+="[^"\\]+")*$/;

describe('a 401', () => {
  test.each(ERROR_CODES.filter((code) => STATUS[code] === 401))('%s says what to send', (code) => {
    const challenge = challengeOf(code);
    expect(challenge).toMatch(CHALLENGE);
    const { status, headers } = failureResponse(refusal(code, 'No.'), {}, new Request('http://waymark.test/'));
    expect([status, headers.get('www-authenticate')]).toEqual([401, challenge]);
  });
});

test.each(ERROR_CODES.filter((code) => STATUS[code] !== 401))('%s challenges nobody', (code) => {
  const { headers } = failureResponse(refusal(code, 'No.'), {}, new Request('http://waymark.test/'));
  expect(headers.has('www-authenticate')).toBe(false);
});
