import { expect, test } from 'bun:test';
import { chaos } from '../engines/nodes/chaos.ts';
import { enginesAway } from '../engines/nodes/engines-away.suite.ts';

const MISFORTUNES = 40;

/** Longer than anything is waited for: every request is told to come again. */
enginesAway(15_000);

test('nodes and engines die and stand still under load, and no promise is broken', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
  const { faults, figures } = await chaos(seed, Number(process.env['MISFORTUNES'] ?? MISFORTUNES));
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(faults).toEqual([]);
});
