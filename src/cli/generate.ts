import { systemClock } from '../adapters/system/clock.ts';
import { readConfig } from '../config.ts';
import { command, type Given, refuse } from './command.ts';
import { fillEventStore } from './generate/fill-event-store.ts';
import type { Generated, Plan, Progress } from './generate/generate-history.ts';
import { ProgressBar } from './generate/progress-bar.ts';

const DEFAULT_BOOKINGS = '10000';
const DEFAULT_DAYS = '730';

const OPTIONS = {
  bookings: { type: 'string', value: 'N', meaning: `Number of bookings (${DEFAULT_BOOKINGS}).` },
  days: { type: 'string', value: 'N', meaning: `Length of the history in days (${DEFAULT_DAYS}).` },
  until: { type: 'string', value: 'TIME', meaning: 'End of the history, ISO 8601 (now).' },
  seed: { type: 'string', value: 'TEXT', meaning: 'The same seed, settings and end give the same history (1).' },
  json: { type: 'boolean', meaning: 'Prints the summary as one JSON object.' },
} as const;

export const GENERATE = command({
  name: 'generate',
  summary:
    'Fills an empty event store with a history of invented bookings, to try a release on a history of that size.',
  details: [
    'The deciders and workflows of the service make the events: bookings of several keys, holds, bookings on request, changes, cancellations, visits and recommendations, with dates up to some weeks ahead. All guests are invented, and no mail or webhook is sent. The keys have no webhook URL.',
    'The history is at rest: a service that starts on it has no mail, release or settlement left to do. It needs an empty event store: the data directory of a service that never ran, or with `EVENTSTORE_URL` a stream prefix that is not in use. A history for `EVENTSTORE_URL` is made in a temporary directory, about 5 kB a booking, and copied from there. **Never run it in production:** the seed determines the values of its keys and the codes of its vouchers.',
    'SIGINT completes the bookings that were made, copies them, and ends; a second one ends at once, and leaves a history that is not at rest.',
  ],
  arguments: [],
  options: OPTIONS,
  settings: [
    'CATALOGUE_DIR',
    'DATA_DIR',
    'EVENTSTORE_URL',
    'EXCHANGE_RATES_FILE',
    'MONGODB_URL',
    'WAYMARK_SECRET_KEY',
    'WAYMARK_STREAM_PREFIX',
  ],
  exitCodes: {
    0: 'The history is complete.',
    1: 'It was interrupted, or the activities have no room for so many bookings, or a setting is invalid.',
    2: 'Invalid arguments, or the event store holds events.',
  },
  run: ({ options }) => generate(options),
});

type Options = Given<typeof OPTIONS>['options'];

async function generate(options: Options): Promise<number> {
  const plan = planOf(options);
  if (typeof plan === 'string') return refuse('generate', plan);
  const config = readConfig(process.env, 'command');
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const newBar = (total: number, unit: string): ProgressBar =>
    new ProgressBar(total, unit, process.stderr, () => systemClock.nowMs());
  let bar = newBar(plan.bookings, 'bookings');
  let phase: Progress['kind'] = 'made';
  const report = (progress: Progress): void => {
    if (progress.kind !== phase) {
      bar.end();
      bar = newBar(progress.events, 'copied events');
    }
    phase = progress.kind;
    if (progress.kind === 'made') bar.show(progress.booked, `, ${progress.events} events`);
    else bar.show(progress.copied);
  };
  const generated = await fillEventStore(config, plan, { signal: interrupted.signal, report });
  bar.end();
  if (generated.kind === 'not-empty')
    return refuse(
      'generate',
      `the event store of ${generated.name} holds events; name an empty one, with DATA_DIR or with EVENTSTORE_URL`,
    );
  process.stdout.write(options.json ? `${JSON.stringify(generated)}\n` : summaryOf(generated));
  return generated.booked < plan.bookings ? 1 : 0;
}

/** A text says what is wrong with the options. */
function planOf({ bookings = DEFAULT_BOOKINGS, days = DEFAULT_DAYS, until, seed = '1' }: Options): Plan | string {
  const untilMs = until === undefined ? systemClock.nowMs() : Date.parse(until);
  if (!/^[1-9]\d{0,8}$/.test(bookings)) return `--bookings must be a number from 1 on; it is "${bookings}"`;
  if (!/^[1-9]\d{0,3}$/.test(days)) return `--days must be a number from 1 to 9999; it is "${days}"`;
  if (Number.isNaN(untilMs)) return `--until must be a time as in ISO 8601; it is "${until}"`;
  if (untilMs > systemClock.nowMs()) return `--until must not be in the future; it is "${until}"`;
  return { bookings: Number(bookings), days: Number(days), untilMs, seed };
}

function summaryOf(generated: Generated): string {
  const { keys, booked, events } = generated;
  const others = OTHERS.map((name) => `${generated[name]} ${name}`).join(', ');
  const lines = keys.map(({ name, keyId, value }) => `  ${name}: ${keyId}, X-API-Key ${value}\n`);
  return `${booked} bookings, ${events} events: ${others}\n${lines.join('')}`;
}

const OTHERS = [
  'modified',
  'cancelled',
  'rejected',
  'visited',
  'erased',
  'recommendations',
  'holds',
  'refused',
] as const satisfies readonly (keyof Generated)[];
