import { mkdirSync } from 'node:fs';
import { writeCatalogue } from '../../chaos/kill/catalogue.ts';
import { ClockFile } from '../../chaos/kill/clock-file.ts';
import { pause } from '../../chaos/kill/real-time.ts';
import { type Service, startService } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Agreement, compare, type Logged } from './compare.ts';
import { type Arrival, openFailingReceiver } from './failing-receiver.ts';
import { Patient } from './patient.ts';

/** Percentage of requests that the receiver fails. */
const FAILING_PERCENT = 20;
/** The service is killed after these percentages of the deliveries. */
const KILLS_AT_PERCENT = [25, 50, 75] as const;
/** Maximum number of concurrent attempts per receiver. */
const WIDEST = 8;
const ATTEMPTS = 6;
/** The longest delay between two attempts: every pending attempt is due after it. */
const LEAP_MS = 3_601_000;
/** Silence after which all received attempts are recorded. */
const QUIET_MS = 1_000;
const LOOK_MS = 20;
const AT_ONCE = 32;
const PAGE = 100;

export type Deliveries = {
  readonly seed: number;
  /** Number of keys, each with its own receiver. */
  readonly receivers: number;
  /** Of each key. */
  readonly bookings: number;
  /** Number of replays of each event. */
  readonly replays: number;
  readonly progress: (line: string) => void;
};

export type Proved = Agreement & {
  readonly deliveries: number;
  readonly events: number;
  readonly arrivals: number;
};

/**
 * The real service makes `receivers * bookings * (1 + replays)` deliveries to a receiver that fails a fifth of the requests,
 * and is killed three times. Finally its log is compared with the received requests.
 */
export async function proveDeliveries({ seed, receivers, bookings, replays, progress }: Deliveries): Promise<Proved> {
  using directory = temporaryDirectory();
  const sale = writeCatalogue(directory.file('catalogue'), Date.now());
  mkdirSync(directory.file('data'));
  using clock = new ClockFile(directory.file('clock'));
  await using receiver = openFailingReceiver(seed, FAILING_PERCENT);
  const settings = {
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: directory.file('data'),
    CATALOGUE_DIR: directory.file('catalogue'),
    WAYMARK_TEST_CLOCK: clock.path,
    MAIL_WAIT_MS: '0',
    LOG_LEVEL: 'error',
  };
  clock.run();
  let service: Service = await startService(settings);
  try {
    const total = receivers * bookings * (1 + replays);
    const patient = new Patient(() => service.url, service.adminToken);
    const killing = (async () => {
      for (const [life, percent] of KILLS_AT_PERCENT.entries()) {
        await receiver.holdAt((total * percent) / 100);
        await service.program.kill();
        progress(`killed when ${receiver.arrivals.size} of ${total} deliveries had arrived`);
        receiver.lifeBegins(life + 1);
        service = await startService(settings);
      }
    })();
    const keys = await patient.keys(receivers, receiver.url);
    await patient.book(keys, { bookings, activities: sale.large, date: sale.today, atOnce: AT_ONCE });
    await patient.replay(keys, { bookings, replays });
    progress(`${total} deliveries are scheduled, ${receiver.arrivals.size} have arrived`);
    await killing;
    while (receiver.arrivals.size < total) await pause(LOOK_MS);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      await quiet(receiver.count);
      const open = stillOpen(receiver.arrivals);
      if ([...receiver.arrivals.values()].every((came) => came.at(-1)?.code === 200)) break;
      clock.leap(LEAP_MS);
      for (const { length, came } of open) while (came.length === length) await pause(LOOK_MS);
      progress(`${open.length} more deliveries were attempted again`);
    }
    await quiet(receiver.count);
    progress(`${receiver.count()} requests have come`);
    const log: Logged[] = [];
    for (const key of keys) log.push(...(await patient.log(key, PAGE)));
    const agreement = compare(log, receiver.arrivals, { kills: KILLS_AT_PERCENT.length, underWay: receivers * WIDEST });
    const events = new Set(log.map(({ event_id }) => event_id)).size;
    return { ...agreement, deliveries: log.length, events, arrivals: receiver.count() };
  } finally {
    await service[Symbol.asyncDispose]();
  }
}

/** Received requests of deliveries that are still retried. */
function stillOpen(arrivals: ReadonlyMap<string, readonly Arrival[]>) {
  const all = [...arrivals.values()].map((came) => ({ came, length: came.length }));
  return all.filter(({ came, length }) => length < ATTEMPTS && came.at(-1)?.code !== 200);
}

async function quiet(count: () => number): Promise<void> {
  for (let before = -1; before !== count(); await pause(QUIET_MS)) before = count();
}
