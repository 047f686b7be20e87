import { sequencesOnNodes } from './sequences.suite.ts';

/** SEQUENCE_SEED in the environment repeats a run, except for the order in which the nodes act. */
const SEED = Number(process.env['SEQUENCE_SEED'] ?? 20_261_201);
/** Enough for a slow machine. */
const TIMEOUT_MS = 240_000;

sequencesOnNodes([SEED], 60, TIMEOUT_MS);
