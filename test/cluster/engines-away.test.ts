import { enginesAway } from './engines-away.suite.ts';

enginesAway(3_000);
