import { sequencesOnNodes } from '../cluster/sequences.suite.ts';

/** SEQUENCE_SEED in the environment repeats a run, as far as the nodes' own order allows; SEQUENCE_RUNS and SEQUENCE_STEPS make it longer or shorter. */
const SEED = Number(process.env['SEQUENCE_SEED'] ?? Date.now() % 1_000_000);
const RUNS = Number(process.env['SEQUENCE_RUNS'] ?? 4);
const STEPS = Number(process.env['SEQUENCE_STEPS'] ?? 400);
const PATIENCE_MS = 1_800_000;

sequencesOnNodes(
  Array.from({ length: RUNS }, (_, index) => SEED + index),
  STEPS,
  PATIENCE_MS,
);
