import { expect, test } from 'bun:test';
import { type Moment, prove } from '../simulation/kill/proof.ts';
import { seededRandom } from '../simulation/kill/random.ts';

/** KILL_SEED and KILLS in the environment repeat a run, or make it longer. */
const KILLS = Number(process.env['KILLS'] ?? 48);
const SEED = Number(process.env['KILL_SEED'] ?? Date.now() % 1_000_000);
const MOMENTS: readonly [Moment, ...Moment[]] = [
  'under load',
  'while mailing',
  'while telling',
  'while catching up',
  'at a checkpoint',
  'while reaping',
  'while rebuilding',
  'while starting',
];
const PATIENCE_MS = 1_800_000;

test(
  `given a real service under load, when it is killed ${KILLS} times, every answer it gave still holds, and all that is owed arrives`,
  async () => {
    const random = seededRandom(SEED);
    const moments = Array.from({ length: KILLS }, () => random.pick<Moment>(MOMENTS));
    const progress = (line: string): void => void process.stdout.write(`${line}\n`);
    const { faults, figures } = await prove({ seed: SEED, moments, progress });
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
    expect(faults).toEqual([]);
    const { kills, confirmed, soldOut, verified, unanswered, sentAgain, abandoned, recommended, peers } = figures;
    expect(kills).toBe(KILLS);
    // A load that did nothing would have proved nothing.
    const { mails, mailsRefused, events, eventsRefused, cutOff } = peers;
    const done = { confirmed, soldOut, verified, unanswered, sentAgain, abandoned, recommended };
    const told = { mails, mailsRefused, events, eventsRefused, mailsCutOff: cutOff.mails, cutOff: cutOff.attempts };
    for (const [what, count] of Object.entries({ ...done, ...told })) expect([what, count > 0]).toEqual([what, true]);
  },
  PATIENCE_MS,
);
