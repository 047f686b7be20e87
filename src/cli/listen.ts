import { randomBytes } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
import { openSender } from '../adapters/http/sender.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { readConfig } from '../config.ts';
import { openRestConnection } from '../mcp/rest.ts';
import { signedHeaders } from '../webhooks/signature.ts';
import { command, type Given, refuse } from './command.ts';
import { BEGINNINGS, type FeedEvent, forwardEvents } from './listen/forward-events.ts';
import { serviceUrl } from './running-service.ts';

const OPTIONS = {
  'forward-to': { type: 'string', value: 'URL', meaning: 'Your receiver, for instance `http://localhost:4000/`.' },
  from: {
    type: 'string',
    value: BEGINNINGS.join('|'),
    meaning: 'Which events: those that happen from now on (the default), or all that the service still has.',
  },
  secret: {
    type: 'string',
    value: 'SECRET',
    meaning: 'The signing secret, `whsec_` and base64. By default a new one.',
  },
  url: { type: 'string', value: 'URL', meaning: 'The service; overrides `WAYMARK_URL`.' },
} as const;

const SECRET_BYTES = 32;
/** One request for the feed. */
const READ_DEADLINE_MS = 30_000;

export const LISTEN = command({
  name: 'listen',
  summary: "Forwards a key's webhook events to a receiver on this machine, which needs no public URL.",
  details: [
    "It reads the events of the API key from `GET /api/b2a/events`, and posts each to the receiver with the body and the headers of a delivery. The deliveries to the key's own URL do not change.",
    'It prints a line for each event. It does not repeat an event that the receiver did not accept.',
    'Each read of the events counts against the limits of the key: one in 8 seconds while nothing happens.',
  ],
  arguments: [],
  options: OPTIONS,
  settings: ['DATA_DIR', 'WAYMARK_API_KEY', 'WAYMARK_URL', 'WEBHOOK_TIMEOUT_MS'],
  exitCodes: {
    0: 'Stopped with Ctrl-C.',
    1: 'The service refuses the key, or a setting is invalid.',
    2: 'Invalid arguments, or the service or the API key is not set.',
  },
  run: ({ options }) => listen(options),
});

async function listen(given: Given<typeof OPTIONS>['options']): Promise<number> {
  const { 'forward-to': receiver, from = 'now', secret = newSecret(), url } = given;
  const config = readConfig(process.env, 'command');
  const { apiKey, webhookTimeoutMs: timeoutMs } = config;
  const service = url?.replace(/\/+$/, '') ?? serviceUrl(config);
  const beginning = BEGINNINGS.find((each) => each === from);
  if (receiver === undefined || !/^https?:/.test(URL.parse(receiver)?.protocol ?? ''))
    return refuse('listen', 'give the URL of your receiver: --forward-to http://localhost:4000/');
  if (beginning === undefined)
    return refuse('listen', `--from must be one of ${BEGINNINGS.join(', ')}; it is "${from}"`);
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret)) return refuse('listen', '--secret must be whsec_ and base64');
  if (apiKey === null) return refuse('listen', 'set WAYMARK_API_KEY to the API key of the events');
  if (service === null)
    return refuse('listen', `no service is known: there is no address in ${config.dataDirectory}; name it with --url`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // The developer chose the URL, on the developer's machine.
  const sender = openSender({ faultOf: () => null, permits: () => true });
  const forward = (event: FeedEvent) => {
    const body = JSON.stringify(event);
    const headers = signedHeaders({
      body,
      eventId: event.id,
      event: event.event,
      deliveryId: event.id.replace('evt_', 'dlv_'),
      atMs: systemClock.nowMs(),
      secrets: { present: secret, previous: null },
      version: packageJson.version,
    });
    return sender.post({ url: receiver, headers, body, timeoutMs });
  };
  const send = (path: string, init: RequestInit) =>
    fetch(`${service}${path}`, {
      ...init,
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(READ_DEADLINE_MS)]),
    });
  const report = (line: string): void => void process.stdout.write(`${line}\n`);
  report(`forwarding events of ${service} to ${receiver}, signed with ${secret}`);
  const feed = openRestConnection(send, { 'x-api-key': apiKey });
  const ended = await forwardEvents({
    feed,
    forward,
    from: beginning,
    clock: systemClock,
    signal: stop.signal,
    report,
  });
  await sender.close();
  if (ended.kind === 'stopped') return 0;
  process.stderr.write(`waymark listen: ${ended.reason}\n`);
  return 1;
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
