import { slowEventStore } from './slow-event-store.suite.ts';

/** SLOW_SEED repeats a run; SLOW_SECONDS is the duration of each load. */
const SEED = Number(process.env['SLOW_SEED'] ?? Date.now() % 1_000_000);
const SECONDS = Number(process.env['SLOW_SECONDS'] ?? 60);

slowEventStore(
  [
    { name: 'one date, 16 callers', connections: 16, activities: 1, dates: 1, nodes: 1, seconds: SECONDS },
    { name: 'one date, 64 callers on two nodes', connections: 64, activities: 1, dates: 1, nodes: 2, seconds: SECONDS },
    { name: '1,200 dates, 16 callers', connections: 16, activities: 20, dates: 60, nodes: 1, seconds: SECONDS },
    { name: '1,200 dates, 64 callers', connections: 64, activities: 20, dates: 60, nodes: 1, seconds: SECONDS },
    { name: '1,200 dates, 64 on two nodes', connections: 64, activities: 20, dates: 60, nodes: 2, seconds: SECONDS },
  ],
  SEED,
);
