import { expect, test } from 'bun:test';
import type { Delivery } from '../../../src/pages/dashboard/webhooks/answers.ts';
import { adviceFor, outcomeOf } from '../../../src/pages/dashboard/webhooks/explanation.ts';

test.each<[number | null, string | null, RegExp | null]>([
  [200, null, null],
  [302, 'answered 302; redirects are not followed', /set the URL that the receiver redirects to/],
  [401, 'answered 401', /the signature does not match/],
  [404, 'answered 404', /the path of the URL/],
  [429, 'answered 429', /Retry-After/],
  [503, 'answered 503', /X-Service-Delivery-Id/],
  [400, 'answered 400', /Compare the body that was sent/],
  [418, 'answered 418', /200 to 299/],
  [null, 'no answer within 30 s', /answer 200 at once/],
  [null, 'the certificate was not accepted (CERT_HAS_EXPIRED)', /valid for the host/],
  [null, 'the connection was refused', /Start it/],
  [null, 'the name of the host is not known', /DNS/],
  [null, 'the host cannot be reached', /the server runs/],
])('an attempt that ended with %p and %p has the right advice', (response_code, error, advice) => {
  const given = adviceFor({ response_code, error });
  if (advice === null) expect(given).toBeNull();
  else expect(given).toMatch(advice);
});

test.each<[Partial<Delivery>, RegExp]>([
  [{ status: 'success' }, /acknowledged/],
  [{ status: 'retrying', attempts: [] }, /first attempt is due/],
  [{ status: 'failed', failed_because: 'suspended' }, /was suspended/],
  [{ status: 'failed', failed_because: 'retries_used' }, /five retries/],
  [{ status: 'failed', failed_because: null }, /A test is sent once/],
])('the outcome of %j is one sentence', (delivery, sentence) => {
  // The sentence depends on these members only.
  expect(outcomeOf({ attempts: [], failed_because: null, ...delivery } as unknown as Delivery)).toMatch(sentence);
});
