import { describe, expect, test } from 'bun:test';
import { onSharedEngines } from '../cluster/shared-engines.ts';
import { onEmbeddedStores } from './kill/embedded.ts';
import { MOMENTS, type Moment } from './kill/moments.ts';
import { prove } from './kill/proof.ts';
import { seededRandom } from './kill/random.ts';
import type { Stage } from './kill/stage.ts';

/** Environment: KILL_SEED repeats a run; KILLS, and NODE_KILLS on shared engines, set its length. */
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const PATIENCE_MS = 1_800_000;

type Run = {
  readonly name: string;
  readonly stage: () => Promise<Stage>;
  readonly kills: number;
  readonly accidents: number;
};

const RUNS: readonly Run[] = [
  {
    name: 'a service on embedded stores',
    stage: onEmbeddedStores,
    kills: Number(process.env['KILLS'] ?? 48),
    accidents: 0,
  },
  {
    name: 'three nodes and more on shared engines',
    stage: onSharedEngines,
    kills: Number(process.env['NODE_KILLS'] ?? 12),
    accidents: 3,
  },
];

describe.each([...RUNS])('given $name under load, when all of it is killed again and again', (run) => {
  test(
    'every answer still holds, and every pending mail and event arrives',
    async () => {
      const random = seededRandom(SEED);
      const moments = Array.from({ length: run.kills }, () => random.pick<Moment>(MOMENTS));
      const progress = (line: string): void => void process.stdout.write(`${line}\n`);
      const { faults, figures } = await prove({ seed: SEED, ...run, moments, progress });
      process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
      expect(faults).toEqual([]);
      const { kills, confirmed, soldOut, verified, unanswered, sentAgain, abandoned, recommended, peers } = figures;
      expect(kills).toBe(run.kills);
      // Without load the run would prove nothing.
      const { mails, mailsRefused, events, eventsRefused, cutOff } = peers;
      const done = { confirmed, soldOut, verified, unanswered, sentAgain, abandoned, recommended };
      const sent = { mails, mailsRefused, events, eventsRefused, cutOff: cutOff.mails + cutOff.attempts };
      const { held, heldBooked, letGo, pending, modified, agreed, declined, changesUnanswered } = figures;
      const life = { held, heldBooked, letGo, pending, modified, agreed, declined, changesUnanswered };
      for (const [what, count] of Object.entries({ ...done, ...sent, ...life }))
        expect([what, count > 0]).toEqual([what, true]);
    },
    PATIENCE_MS,
  );
});
