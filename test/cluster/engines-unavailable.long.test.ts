import { enginesUnavailable } from './engines-unavailable.suite.ts';

/** Longer than any request waits: each is answered 503. */
enginesUnavailable(15_000);
