import { expect, test } from 'bun:test';
import { type Moment, prove } from '../simulation/kill/proof.ts';
import { seededRandom } from '../simulation/kill/random.ts';

/** KILL_SEED and KILLS in the environment repeat a run, or make it longer. */
const KILLS = Number(process.env['KILLS'] ?? 48);
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const PATIENCE_MS = 1_800_000;

test(
  `given a real service under load, when it is killed ${KILLS} times, every answer it gave still holds`,
  async () => {
    const random = seededRandom(SEED);
    const moments = Array.from({ length: KILLS }, () =>
      random.pick<Moment>(['under load', 'under load', 'while reaping', 'while rebuilding', 'while starting']),
    );
    const progress = (line: string): void => void process.stdout.write(`${line}\n`);
    const { faults, figures } = await prove({ seed: SEED, moments, progress });
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
    expect(faults).toEqual([]);
    const { kills, confirmed, soldOut, verified, unanswered, sentAgain, abandoned } = figures;
    expect(kills).toBe(KILLS);
    // A load that did nothing would have proved nothing.
    for (const count of [confirmed, soldOut, verified, unanswered, sentAgain, abandoned])
      expect(count).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);
