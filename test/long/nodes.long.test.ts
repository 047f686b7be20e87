import { enginesAway } from '../engines/nodes/engines-away.suite.ts';

/** Longer than anything is waited for: every request is told to come again. */
enginesAway(15_000);
