import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Captured, type Captures, changed, openCaptures } from '../../support/captures.ts';
import { BUILD_MS } from '../../support/peers/go-program.ts';
import { LIBRARIES, type Library, type Verdict } from '../../support/peers/standard-webhooks.ts';

// Who knows nothing of us judges what the service really sent: the official libraries of Standard Webhooks.

let captures: Captures;
beforeAll(async () => {
  // Made before the clock is read, since the requests are good for five minutes only.
  for (const library of Object.values(LIBRARIES)) await library([]);
  captures = await openCaptures();
}, BUILD_MS);
afterAll(() => captures?.[Symbol.asyncDispose]());

function signedBy(...signers: readonly Captured[]): Captured['headers'] {
  return { 'webhook-signature': signers.map(({ headers }) => headers['webhook-signature'] ?? '').join(' ') };
}

/** What is sent, by what was done to it; and what is to be said of it. */
function requests(): Readonly<Record<string, readonly [Captured, Verdict]>> {
  const { confirmed, modified, foreign, old, early } = captures;
  const nowS = String(Math.floor(captures.service.clock.nowMs() / 1_000) - 1);
  return {
    'a confirmation': [confirmed, 'accepted'],
    'a modification': [modified, 'accepted'],
    'another signature, then the right one': [changed(confirmed, signedBy(foreign, confirmed)), 'accepted'],
    'the right signature, then another one': [changed(confirmed, signedBy(confirmed, foreign)), 'accepted'],
    'two signatures, neither right': [changed(confirmed, signedBy(foreign, modified)), 'refused'],
    'a changed body': [{ ...confirmed, body: confirmed.body.replace('"num_adults":2', '"num_adults":1') }, 'refused'],
    'a space more': [{ ...confirmed, body: `${confirmed.body} ` }, 'refused'],
    'an old request': [old, 'refused'],
    'an old request with a new time': [changed(old, { 'webhook-timestamp': nowS }), 'refused'],
    'a request from the future': [early, 'refused'],
    'another id': [changed(confirmed, { 'webhook-id': modified.headers['webhook-id'] ?? '' }), 'refused'],
    'another secret': [foreign, 'refused'],
    'no signature': [changed(confirmed, { 'webhook-signature': '' }), 'refused'],
  };
}

test.each(Object.entries(LIBRARIES))(
  'the library of %s accepts what is true, and refuses all else',
  async (...named) => {
    const judge: Library = named[1];
    const asked = Object.entries(requests());
    const verdicts = await judge(asked.map(([, [request]]) => ({ ...request, secret: captures.key.webhook_secret })));
    const results = asked.map(([name], at) => [name, verdicts[at]]);
    expect(results).toEqual(asked.map(([name, [, verdict]]) => [name, verdict]));
  },
);

test("another key's request verifies with its own secret", async () => {
  const request = { ...captures.foreign, secret: captures.stranger.webhook_secret };
  const verdicts = await Promise.all(Object.values(LIBRARIES).map((judge) => judge([request])));
  expect(verdicts).toEqual([['accepted'], ['accepted'], ['accepted']]);
});
