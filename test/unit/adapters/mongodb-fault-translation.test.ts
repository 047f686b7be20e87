import { expect, test } from 'bun:test';
import { MongoServerSelectionError, type TopologyDescription } from 'mongodb';
import { translateFaults } from '../../../src/adapters/mongodb/fault-translation.ts';
import { faultOf } from '../../support/fault.ts';

test('if no server is found, the fault names the call, the deadline and the cause', async () => {
  // The error reads only this member of the description.
  const nobody: unknown = { error: null };
  const cause = new MongoServerSelectionError('no server', nobody as TopologyDescription);
  const fault = await faultOf(() => translateFaults('usage counters')('take quota of key_1', Promise.reject(cause)));
  expect(fault).toMatchObject({
    engine: 'usage counters',
    cause,
    failed: {
      call: 'take quota of key_1',
      deadline: { name: 'MongoDB server selection', ms: 5_000 },
      tookMs: expect.any(Number),
    },
  });
});
