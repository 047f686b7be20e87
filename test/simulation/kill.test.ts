import { expect, test } from 'bun:test';
import { prove } from './kill/proof.ts';

/** Far beyond what it takes on a slow core. */
const PATIENCE_MS = 120_000;

test(
  'given a real service under load, when it is killed three times, every answer it gave still holds',
  async () => {
    const progress = (line: string): void => void process.stdout.write(`${line}\n`);
    const { faults, figures } = await prove({
      seed: 20_261_121,
      moments: [
        'while telling',
        'while catching up',
        'at a checkpoint',
        'while mailing',
        'while starting',
        'while reaping',
      ],
      progress,
    });
    expect(faults).toEqual([]);
    const { kills, confirmed, soldOut, verified, unanswered, sentAgain } = figures;
    expect(kills).toBe(6);
    // A load that did nothing would have proved nothing.
    for (const count of [confirmed, soldOut, verified, unanswered, sentAgain]) expect(count).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);
