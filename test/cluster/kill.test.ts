import { expect, test } from 'bun:test';
import { prove } from '../chaos/kill/proof.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { onSharedEngines } from './shared-engines.ts';

/** Enough for a slow machine. */
const TIMEOUT_MS = 240_000;

test(
  'three API nodes under load: after nodes and engines were killed, every answer still holds, and every pending mail and event arrives',
  async () => {
    const progress = (line: string): void => void process.stdout.write(`${line}\n`);
    const { faults, figures } = await prove({
      seed: 20_261_121,
      stage: onSharedEngines,
      moments: ['while telling'],
      accidents: 2,
      progress,
    });
    expect(faults).toEqual([]);
    const { kills, confirmed, soldOut, verified, recommended, inventoryRead, peers, accidents } = figures;
    expect(kills).toBe(1);
    // The load must have done each of these.
    const { mails, events } = peers;
    const { held, heldBooked, modified, cancelled } = figures;
    const done = { confirmed, soldOut, verified, recommended, inventoryRead, mails, events };
    for (const [what, count] of Object.entries({ ...done, held, heldBooked, modified, cancelled }))
      expect([what, count > 0]).toEqual([what, true]);
    expect(Object.values(accidents).reduce((sum, count) => sum + count, 0)).toBe(2);
  },
  BUILD_MS + TIMEOUT_MS,
);
