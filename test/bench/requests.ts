import { cpuMs, type Measurement } from './bench-server.ts';
import { BARE, BASELINE, type Cases, OPEN } from './cases.ts';
import { type Measured, measure, quantilesOf } from './load.ts';
import type { Figures } from './watch.ts';

const WARM_UP_MS = 1_000;

/** Of a case in a round; `cpuUs` is the server's processor time per request. */
type Round = Measured & { readonly cpuUs: number };
/** By case and round. */
type Rounds = Readonly<Record<string, readonly Round[]>>;

/**
 * Every case, round by round, on one server. It sends no mails, so what the cases leave pending disturbs nothing.
 * @param casesFor the cases for a key
 * @param only measures only cases whose name contains it
 */
export async function measureRequests(
  casesFor: (key: string) => Cases,
  only: string,
  { install, connections, milliseconds, rounds, progress, signal }: Measurement,
): Promise<Figures> {
  await using installation = await install();
  await using server = await installation.start();
  const taken: Record<string, Round[]> = {};
  const cases = Object.entries(casesFor(server.key)).filter(([name]) => name.includes(only));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, next] of cases) {
      const before = cpuMs(server.pid);
      const measured = await measure({
        port: server.port,
        connections,
        milliseconds: round === 0 ? WARM_UP_MS : milliseconds,
        next: next(round),
      });
      // A terminal sends Ctrl-C to the server too.
      if (signal.aborted) return figuresOf(taken);
      const figures = { ...measured, cpuUs: ((cpuMs(server.pid) - before) * 1_000) / measured.requests };
      if (Object.keys(figures.refused).length > 0)
        throw new Error(`${name}: refused ${JSON.stringify(figures.refused)}`);
      const when = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
      progress(`${when}: ${name}: ${Math.round(figures.perSecond)}/s`);
      if (round > 0) (taken[name] ??= []).push(figures);
    }
  }
  return figuresOf(taken);
}

/** The medians of the rounds. Ratios are of one round each, to the case with one durable append. */
function figuresOf(taken: Rounds): Figures {
  const figures: Record<string, number> = {};
  for (const [name, rounds] of Object.entries(taken)) {
    const median = (of: (round: Round) => number): number => quantilesOf(rounds.map(of)).p50;
    figures[`${name}: per s`] = median(({ perSecond }) => perSecond);
    figures[`${name}: CPU us`] = median(({ cpuUs }) => cpuUs);
    figures[`${name}: p50 ms`] = median(({ p50Ms }) => p50Ms);
    figures[`${name}: p99 ms`] = median(({ p99Ms }) => p99Ms);
    const ratio = ratioOf(rounds, taken[BASELINE]);
    if (ratio !== null) figures[`${name}: ratio to ${BASELINE}`] = ratio;
  }
  const keyed = ratioOf(taken[BARE], taken[OPEN]);
  if (keyed !== null) figures[`${BARE}: ratio to ${OPEN}`] = keyed;
  return figures;
}

/** The median of the rounds' ratios in requests per second; null if no round has both. */
function ratioOf(rounds: readonly Round[] = [], others: readonly Round[] = []): number | null {
  const ratios = rounds.flatMap(({ perSecond }, round) => {
    const other = others[round];
    return other === undefined ? [] : [perSecond / other.perSecond];
  });
  return ratios.length === 0 ? null : quantilesOf(ratios).p50;
}
