import { expect, test } from 'bun:test';
import { seededRandom } from '../chaos/kill/random.ts';
import { auditEnd } from '../model/sequences/audit-end.ts';
import { play } from '../model/sequences/play.ts';
import { totalsOf } from '../model/sequences/tested-service.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { TestedNodes } from './tested-nodes.ts';
import { startThreeNodes } from './three-nodes.ts';

/** Outcomes that every run must contain. */
const EXPECTED = ['book: done', 'cancel: done', 'hold: done', 'modify: done'];

/** Sends random commands to three nodes and compares every answer with the model. One cluster per seed. */
export function sequencesOnNodes(seeds: readonly number[], steps: number, timeoutMs: number): void {
  test.each([...seeds])(
    `${steps} random commands of seed %i to three nodes get the answers of the model, and nothing is oversold, mischarged or done twice`,
    async (seed) => {
      await using nodes = await startThreeNodes();
      const house = new TestedNodes(nodes, seededRandom(seed + 1));
      const { world, faults, answerCounts } = await play(house, steps, seededRandom(seed));
      expect(faults).toEqual([]);
      const settled = await house.wait(world, seededRandom(seed));
      expect(auditEnd(settled, await nodes.log(), await totalsOf(house))).toEqual([]);
      const answers = [...answerCounts].map(([what, times]) => `${what} ${times}`).join(', ');
      process.stdout.write(`seed ${seed}: ${house.asked.join(', ')} requests; ${answers}\n`);
      expect([...answerCounts.keys()]).toEqual(expect.arrayContaining(EXPECTED));
      expect(Math.min(...house.asked)).toBeGreaterThan(0);
    },
    BUILD_MS + timeoutMs,
  );
}
