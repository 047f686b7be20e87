import { slowEventStore } from './slow-event-store.suite.ts';

/** `slow-event-store.long.test.ts` runs longer. */
slowEventStore(
  [
    { name: 'one date, 16 callers on two nodes', connections: 16, activities: 1, dates: 1, nodes: 2, seconds: 10 },
    { name: '100 dates, 16 callers on two nodes', connections: 16, activities: 20, dates: 5, nodes: 2, seconds: 10 },
  ],
  14,
);
