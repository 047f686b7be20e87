import { expect, test } from 'bun:test';
import { listening, startCluster } from './cluster.ts';
import { largeCatalogue } from './large-catalogue.suite.ts';

const START_MS = 120_000;

/** test/cluster/large-catalogue.long.test.ts is the same with 20,000. */
largeCatalogue({ activities: 1_500, kills: 2 });

test(
  'given an event store that takes no append for one entry in ten seconds, when it does, then the start goes on',
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
