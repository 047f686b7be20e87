import { describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { signatureFaults } from '../../../../src/cli/journey/signatures.ts';

// The example of Standard Webhooks, from its specification.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"test": 2432232314}';
const SENT_MS = 1_614_265_330_000;
const HEADERS = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  'x-service-signature': `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`,
};
const TOO_FAR = 'webhook-timestamp 1614265330 is more than five minutes from now';

describe('both signatures of a delivery', () => {
  test('hold over the very body', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ body: `${BODY} ` })).toEqual([
      'X-Service-Signature does not hold',
      'webhook-signature does not hold',
    ]);
  });

  test('are both demanded', () => {
    expect(faults({ headers: { 'x-service-signature': '' } })).toEqual(['X-Service-Signature does not hold']);
    expect(faults({ headers: { 'webhook-signature': '' } })).toEqual(['webhook-signature does not hold']);
    expect(faults({ headers: { 'webhook-timestamp': '' } })).toEqual([
      'webhook-timestamp (missing) is more than five minutes from now',
    ]);
  });

  test('hold where one of several signatures is the secret’s, as while it is rotated', () => {
    const other = `v1,${Buffer.alloc(32).toString('base64')}`;
    expect(faults({ headers: { 'webhook-signature': `${other} ${HEADERS['webhook-signature']}` } })).toEqual([]);
    expect(faults({ headers: { 'webhook-signature': `${other} v1a,AAAA` } })).toEqual([
      'webhook-signature does not hold',
    ]);
  });

  test('hold for five minutes, before and after', () => {
    const minutes = (count: number) => SENT_MS + count * 60_000;
    expect(faults({ nowMs: minutes(5) })).toEqual([]);
    expect(faults({ nowMs: minutes(-5) })).toEqual([]);
    expect(faults({ nowMs: minutes(5) + 1 })).toEqual([TOO_FAR]);
    expect(faults({ nowMs: minutes(-5) - 1 })).toEqual([TOO_FAR]);
  });
});

type Change = {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly nowMs?: number;
};

function faults({ body = BODY, headers = {}, nowMs = SENT_MS }: Change): string[] {
  return signatureFaults({ headers: new Headers({ ...HEADERS, ...headers }), body }, SECRET, nowMs);
}
