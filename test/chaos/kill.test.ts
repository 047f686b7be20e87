import { expect, test } from 'bun:test';
import { onEmbeddedStores } from './kill/embedded.ts';
import { prove } from './kill/proof.ts';

/** Longer than it takes on a slow core. */
const PATIENCE_MS = 120_000;

test(
  'given a real service under load, when it is killed six times, then every answer still holds, and every pending mail and event arrives',
  async () => {
    const progress = (line: string): void => void process.stdout.write(`${line}\n`);
    const { faults, figures } = await prove({
      seed: 20_261_121,
      stage: onEmbeddedStores,
      accidents: 0,
      moments: [
        'while telling',
        'while catching up',
        'while mailing',
        'while catching up',
        'while starting',
        'while reaping',
      ],
      progress,
    });
    expect(faults).toEqual([]);
    const { kills, confirmed, soldOut, verified, unanswered, sentAgain, recommended, inventoryRead, peers } = figures;
    const { held, heldBooked, letGo, pending, modified, cancelled, agreed, declined, changesUnanswered } = figures;
    expect(kills).toBe(6);
    // Without load the run would prove nothing.
    const { mails, events, cutOff } = peers;
    const done = { confirmed, soldOut, verified, unanswered, sentAgain, recommended, inventoryRead, mails, events };
    const life = { held, heldBooked, letGo, pending, modified, cancelled, agreed, declined, changesUnanswered };
    for (const [what, count] of Object.entries({ ...done, ...life })) expect([what, count > 0]).toEqual([what, true]);
    expect(cutOff.mails + cutOff.attempts).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);
