import type { Attempt, Delivery } from './answers.ts';

const ENDED: Readonly<Record<NonNullable<Delivery['failed_because']>, string>> = {
  retries_used: 'All five retries failed, so the service gave up.',
  no_webhook_url: 'The API key had no webhook URL when the attempt was due.',
  key_inactive: 'The API key was not active when the attempt was due.',
  suspended: 'The receiver was suspended, because it had acknowledged nothing for days.',
};

/** What has become of a delivery, in a sentence. */
export function outcomeOf({ status, attempts, failed_because: reason }: Delivery): string {
  if (status === 'success') return 'The receiver acknowledged it.';
  // Only an example of POST /api/webhooks/test fails without a reason: it has no retries to use.
  if (status === 'failed') return reason === null ? 'The test failed. A test is sent once.' : ENDED[reason];
  return attempts.length === 0 ? 'Its first attempt is due.' : 'The last attempt failed. Another one follows.';
}

/** What to look at in the receiver after a failed attempt; null if the answer says nothing about the cause. */
export function adviceFor({ response_code: code, error }: Pick<Attempt, 'response_code' | 'error'>): string | null {
  if (error === null) return null;
  if (code === null) return WITHOUT_ANSWER.find(([said]) => said.test(error))?.[1] ?? UNREACHABLE;
  if (code >= 300 && code < 400)
    return 'The URL redirects. The service follows no redirects: set the URL that the receiver redirects to.';
  if (code === 400 || code === 422)
    return 'The receiver read the request and does not accept its content. Most often its parser expects a form or other fields, or its check of the signature answers so. Compare the body that was sent with what the receiver reads.';
  if (code === 401 || code === 403)
    return 'The receiver refused the request, as it does when the signature does not match. Verify the raw bytes of the body, before any JSON parser, with the whole secret of this key.';
  if (code === 404 || code === 405)
    return 'The server answered, but it takes no POST at this path. Compare the path of the URL with that of your route.';
  if (code === 408)
    return 'The receiver waited for the body too long, or a proxy before it did. Its log at the time of the attempt says which.';
  if (code === 410) return 'The receiver says that this URL is gone. Set its new URL; until then each event fails.';
  if (code === 415)
    return 'The receiver takes no application/json, or only with another Content-Type. Accept it at this path.';
  if (code === 413) return 'The receiver refuses the size of the body. Allow bodies of at least 1 MiB.';
  if (code === 429)
    return 'The receiver limits requests. Answer with Retry-After, and the service waits for that time.';
  if (code >= 500)
    return 'The receiver failed. Its log at the time of the attempt says why; the id to look for is the delivery id, in the header X-Service-Delivery-Id.';
  return 'Only a status from 200 to 299 acknowledges an event.';
}

/** Whether the answer is one that receivers give to a signature that does not match. */
export function mayBeSignature({ response_code: code }: Pick<Attempt, 'response_code'>): boolean {
  return code !== null && [400, 401, 403, 422].includes(code);
}

/** As `adviceFor`, of the last error of a suspended receiver, whose text has the status. */
export function adviceForError(error: string): string | null {
  const status = /^answered (\d{3})$/.exec(error)?.[1];
  return adviceFor({ response_code: status === undefined ? null : Number(status), error });
}

/** By what the service says about an attempt without an answer (src/adapters/http/sender.ts). */
const WITHOUT_ANSWER: readonly (readonly [said: RegExp, advice: string])[] = [
  [/^no answer within/, 'The receiver took too long. Store the event, answer 200 at once, and process it afterwards.'],
  [/certificate/, 'The certificate must be valid for the host of the URL, and sent with its whole chain.'],
  [/connection was refused/, 'No server listens at the host and port of the URL. Start it, or correct the URL.'],
  [/connection was closed/, 'The server closed the connection. Its log, or that of a proxy before it, may say why.'],
  [/name of the host/, 'The host name of the URL has no address. Correct the URL, or the DNS record.'],
  [/not public/, 'The URL leads to an address that is not public. The service sends to public addresses only.'],
  [/not HTTP/, 'What listens there does not speak HTTP. Compare scheme and port of the URL.'],
];

const UNREACHABLE =
  'Check that the host of the URL is right, that the server runs, and that a firewall lets requests from the internet in.';
