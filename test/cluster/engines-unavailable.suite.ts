import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditLog } from '../chaos/kill/audit.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import { readHistory } from '../chaos/kill/history.ts';
import { pause } from '../chaos/kill/real-time.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, call, keyKnownTo, readiness, ready, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, listening, startCluster } from './cluster.ts';

const START_MS = 120_000;
/** Promised: the service works again so long after its engine. */
const RECOVERED_MS = 10_000;
/** Time within which a node detects that an engine is unavailable. */
const NOTICED_MS = 8_000;
/** Maximum time that a request waits. */
const MAX_WAIT_MS = 10_000;
const CLIENTS = 6;
const SETTINGS = { RESPONSE_DEADLINE_MS: '2000' };
/** Permitted answers. */
const PERMITTED = ['200 ', '503 SERVICE_UNAVAILABLE'];

/** Tests a node while an engine is unavailable for `outageMs`, and after that. */
export function enginesUnavailable(outageMs: number): void {
  let cluster: Cluster;
  let node: ClusterNode;
  let headers: Readonly<Record<string, string>>;

  beforeAll(async () => {
    cluster = await startCluster();
  }, BUILD_MS);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  const liveness = async (at: Pick<ClusterNode, 'url'>) => (await fetch(`${at.url}/livez`)).status;

  test(
    'a node that starts without an engine is live but not ready, and starts when the engine does',
    async () => {
      await cluster.events.kill();
      const program = cluster.begin('all', { ...SETTINGS, PORT: '0' });
      const waiting = await program.stdout.line(
        /"engine":"event store","url":"([^"]+)".*"msg":"waiting for an engine"/,
      );
      const starting = { url: waiting?.[1] ?? '' };
      expect([await liveness(starting), (await readiness(starting)).status]).toEqual([200, 503]);
      expect(await call(starting, '/api/b2a/bookings')).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
      await cluster.events.restart();
      node = await listening(program, 'all');
      expect(node.url).toBe(starting.url);
      await ready(node, RECOVERED_MS);
      headers = await keyKnownTo([node]);
    },
    START_MS,
  );

  describe('under load', () => {
    const { sale } = { sale: () => cluster.sale };
    const asks = [
      (index: number) => {
        const { large } = sale();
        const body = wish(large[index % large.length] ?? '', dateAhead(sale(), index % 3));
        return call(node, '/api/b2a/execute_booking', { headers, body });
      },
      () => call(node, '/api/b2a/bookings?limit=5', { headers }),
      () => call(node, '/api/ops/projections', { headers: ADMIN }),
    ];

    /** Sends requests continuously while `during` runs. @returns the different answers */
    async function answersDuring(during: () => Promise<void>): Promise<readonly string[]> {
      const answers = new Set<string>();
      let stopped = false;
      const clients = Array.from({ length: CLIENTS }, async (_, client) => {
        for (let round = 0; !stopped; round++) {
          const { status, code, retryAfter } = (await asks[(client + round) % asks.length]?.(round)) ?? {
            status: 0,
            code: '',
          };
          answers.add(`${status} ${code}`);
          if (status === 503) expect(retryAfter).toBe('1');
          if (status === 503) await pause(50);
        }
      });
      await during();
      stopped = true;
      await Promise.all(clients);
      return [...answers].sort();
    }

    const recovered = async (): Promise<boolean> => {
      const answers = await Promise.all([readiness(node), ...asks.map((ask) => ask(0))]);
      return answers.every(({ status }) => status === 200);
    };

    const CASES: readonly (readonly [string, string, () => Promise<void>, () => Promise<void>])[] = [
      ['the event store is killed', 'event_store', () => cluster.events.kill(), () => cluster.events.restart()],
      [
        'the event store hangs',
        'event_store',
        () => Promise.resolve(cluster.events.pause()),
        () => Promise.resolve(cluster.events.resume()),
      ],
      ['the read models are killed', 'read_models', () => cluster.documents.kill(), () => cluster.documents.restart()],
      [
        'the read models hang',
        'read_models',
        () => Promise.resolve(cluster.documents.pause()),
        () => Promise.resolve(cluster.documents.resume()),
      ],
    ];
    for (const [name, check, leave, comeBack] of CASES) {
      test(
        `${name}: requests are answered, some with 503, and the node recovers by itself`,
        async () => {
          let recoveredMs = Number.POSITIVE_INFINITY;
          const answers = await answersDuring(async () => {
            await pause(500);
            await leave();
            await until('readyz names the engine', NOTICED_MS, async () =>
              (await readiness(node)).text.includes(check),
            );
            expect(await liveness(node)).toBe(200);
            await pause(outageMs);
            await comeBack();
            recoveredMs = await until('everything works again', RECOVERED_MS, recovered);
          });
          process.stdout.write(`${name}: works again ${recoveredMs} ms after it is back\n`);
          expect(answers.filter((answer) => !PERMITTED.includes(answer))).toEqual([]);
          if (outageMs > MAX_WAIT_MS) expect(answers).toEqual(PERMITTED);
        },
        START_MS,
      );
    }

    test('and nothing confirmed is lost, nothing is sold twice', async () => {
      expect(auditLog(readHistory(await cluster.log()))).toEqual([]);
    });
  });
}
