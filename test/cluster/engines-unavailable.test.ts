import { enginesUnavailable } from './engines-unavailable.suite.ts';

enginesUnavailable(3_000);
