import { enginesAway } from './engines-away.suite.ts';

/** Longer than any request waits, so that each request is answered 503. */
enginesAway(15_000);
