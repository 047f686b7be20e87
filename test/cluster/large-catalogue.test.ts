import { expect, test } from 'bun:test';
import { listening, startCluster } from './cluster.ts';
import { largeCatalogue } from './large-catalogue.suite.ts';

const START_MS = 120_000;

/** large-catalogue.long.test.ts runs the same with 20,000 activities. */
largeCatalogue({ activities: 1_500, kills: 2 });

test(
  'a start waits for an event store that refuses the append of one entry, and continues when it accepts',
  async () => {
    await using cluster = await startCluster();
    const [first] = cluster.sale.large;
    await cluster.events.refuseAppendsTo(`activity-${first}`);
    const program = cluster.begin('all');
    expect(await program.stdout.line(/"msg":"activity not listed yet"/)).not.toBeNull();
    await cluster.events.mend();
    await listening(program, 'all');
    const listed = (await cluster.log()).filter(({ stream }) => stream === `activity-${first}`);
    expect(listed.map(({ type }) => type)).toEqual(['ActivityListed.v2']);
  },
  START_MS,
);
