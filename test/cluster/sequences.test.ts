import { sequencesOnNodes } from './sequences.suite.ts';

/** SEQUENCE_SEED in the environment repeats a run, as far as the nodes' own order allows. */
const SEED = Number(process.env['SEQUENCE_SEED'] ?? 20_261_201);
/** Longer than it takes on a slow core. */
const PATIENCE_MS = 240_000;

sequencesOnNodes([SEED], 60, PATIENCE_MS);
