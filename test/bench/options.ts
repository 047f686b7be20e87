import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENGINES, type EnginesName, isEnginesName } from './bench-server.ts';

/** About the size of the shipped catalogue, and the maximum that the specification requires. */
const SHIPPED_AND_REQUIRED = '223,10000';

const HELP = `bun run bench [options]

Measures the service over HTTP in parts: requests (bookings and recommendations, beside bare appends on the same
server), settled bookings (with voucher mail and all projections; also with a webhook), webhook deliveries, webhook
isolation, idle node, large catalogue (starts, memory and answers). Only with --only history: history
(starts, memory, bookings, answers and a rebuild on generated histories, side by side; without loads on shared engines).

  --engines NAMES   engine pairs, separated by commas: embedded (the default), shared. Two are printed side by side.
                    shared uses the servers that EVENTSTORE_URL and MONGODB_URL name; without both it starts test
                    peers (needs Go once). See below
  --against DIR     another checkout of the project with installed packages: each part is measured in pairs, with this
                    build and with that one, and the ratios are printed. Use --rounds 4 or more
  --seconds N       duration of each load (3). On shared engines use 10 or more
  --rounds N        rounds after the warm-up, or pairs of builds (3)
  --connections N   connections of the requests and deliveries (64)
  --only TEXT       only parts, or cases of the requests, whose name contains TEXT
  --bookings LIST   sizes of the histories, separated by commas (10000,100000,1000000)
  --activities LIST sizes of the large catalogues, separated by commas (223,10000)
  --data DIR        keeps the histories for embedded engines in DIR, and takes those that it has
  --json FILE       also writes the figures to FILE
  --profile DIR     writes CPU profiles of the servers to DIR

On named servers each measurement uses streams with a prefix of its own, bench-..., and a database of its own,
waymark-bench-..., which the bench drops at its end. The streams stay in the log: use a server that may grow. The user
of MONGODB_URL must be allowed to create databases, the user of EVENTSTORE_URL to append to all streams.

Ctrl-C stops the bench and prints the results so far.
`;

export type Options = {
  readonly engines: readonly EnginesName[];
  /** Another checkout. */
  readonly against: string | undefined;
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly only: string;
  /** Sizes of the histories, the smallest first. */
  readonly bookings: readonly number[];
  /** Sizes of the large catalogues, the smallest first. */
  readonly activities: readonly number[];
  /** Keeps generated histories. */
  readonly data: string | undefined;
  readonly json: string | undefined;
  readonly profile: string | undefined;
};

/** The options of the command line. Prints the help and ends, if it is asked for. @throws for a wrong option */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      engines: { type: 'string', default: 'embedded' },
      against: { type: 'string' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      only: { type: 'string', default: '' },
      bookings: { type: 'string', default: '10000,100000,1000000' },
      activities: { type: 'string', default: SHIPPED_AND_REQUIRED },
      data: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const names = values.engines.split(',');
  const engines = names.filter(isEnginesName);
  if (engines.length < names.length) throw new Error(`--engines: of ${ENGINES.join(', ')}, not ${values.engines}`);
  const { only, json, profile } = values;
  return {
    engines,
    against: values.against === undefined ? undefined : checkoutAt(resolve(values.against)),
    seconds: above0('--seconds', values.seconds),
    rounds: above0('--rounds', values.rounds),
    connections: above0('--connections', values.connections),
    only,
    bookings: sizes('--bookings', values.bookings),
    activities: sizes('--activities', values.activities),
    data: values.data === undefined ? undefined : resolve(values.data),
    json,
    profile,
  };
}

function checkoutAt(root: string): string {
  for (const needed of ['test/bench/server.ts', 'node_modules'])
    if (!existsSync(join(root, needed))) throw new Error(`--against: ${root} has no ${needed}`);
  return root;
}

/** Ascending. */
function sizes(name: string, list: string): readonly number[] {
  return list
    .split(',')
    .map((text) => above0(name, text))
    .sort((left, right) => left - right);
}

function above0(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name}: a number above 0, not ${text}`);
  return value;
}
