import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { connect } from 'node:tls';
import { dateAhead, type OnSale, writeCatalogue } from '../../chaos/kill/catalogue.ts';
import { ready, type Service, type Settings, startProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { composeFile } from '../compose/compose-file.ts';
import { type Proxy, startProxy } from './proxy.ts';

const PATIENCE_MS = 180_000;
/** Callers at once, each of whom asks again as soon as it is answered. */
const CALLERS = 4;
/** Between two nodes, so that the proxy has work with all three. */
const ANSWERS_BETWEEN = 40;

/**
 * Three nodes behind the proxy. Each has its own copy of one data directory, so all know the same key; what one of them
 * books the others do not know, which this is not about.
 */
describe('three API nodes behind the proxy', () => {
  const directory = temporaryDirectory();
  const sale: OnSale = writeCatalogue(directory.file('catalogue'), Date.now());
  const nodes: Node[] = [];
  let proxy: Proxy;
  let apiKey = '';

  beforeAll(async () => {
    apiKey = await firstKey(settingsOf(1));
    for (const number of [2, 3]) cpSync(settingsOf(1).DATA_DIR, settingsOf(number).DATA_DIR, { recursive: true });
    for (const number of [1, 2, 3]) nodes.push(await startNode(settingsOf(number)));
    proxy = await startProxy(
      nodes.map(({ service }) => service.url),
      directory,
    );
  }, PATIENCE_MS);

  afterAll(async () => {
    await proxy.program.kill();
    for (const { service } of nodes) await service.program.kill();
    directory.remove();
  });

  test(
    'given that each is stopped and started in turn, every booking is answered, and made once',
    async () => {
      const answers: string[] = [];
      let restarting = true;
      const callers = Array.from({ length: CALLERS }, async () => {
        while (restarting) answers.push(await book());
      });
      const ended: number[] = [];
      for (const [index, node] of nodes.entries()) {
        await answered(answers, ANSWERS_BETWEEN);
        ended.push(await node.service.program.terminate());
        nodes[index] = await startNode({ ...node.settings, PORT: new URL(node.service.url).port });
      }
      await answered(answers, ANSWERS_BETWEEN);
      restarting = false;
      await Promise.all(callers);

      expect(ended).toEqual([0, 0, 0]);
      expect(answers.length).toBeGreaterThan(ANSWERS_BETWEEN * 4);
      expect(tally(answers)).toEqual({ 'as expected': answers.length });
      expect(nodes.reduce((sum, { settings }) => sum + bookingsIn(settings), 0)).toBe(answers.length);
    },
    PATIENCE_MS,
  );

  test(
    'given a node that is killed, what would have gone to it goes to the others',
    async () => {
      const [node] = nodes;
      if (node === undefined) throw new Error('no node was started');
      await node.service.program.kill();
      const answers: string[] = [];
      while (answers.length < ANSWERS_BETWEEN) answers.push(await askInventory());
      expect(tally(answers)).toEqual({ 'as expected': ANSWERS_BETWEEN });
    },
    PATIENCE_MS,
  );

  test('accept TLS 1.3 and refuse TLS 1.2', async () => {
    expect(await handshake('TLSv1.3')).toBe('TLSv1.3');
    expect(await handshake('TLSv1.2')).toMatch(/alert|protocol version|refused by peer/i);
  });

  test.each(['/livez', '/readyz', '/metrics'])('hide %s', async (path) => {
    expect((await fetch(`${proxy.url}${path}`, { tls: { ca: proxy.ca } })).status).toBe(404);
  });

  function settingsOf(number: number): Settings {
    return {
      DATA_DIR: directory.file(`node-${number}`),
      CATALOGUE_DIR: directory.file('catalogue'),
      PORT: '0',
      MAIL_WAIT_MS: '0',
      STOP_DELAY_MS: String(composeFile().services[`api-${number}`]?.environment?.['STOP_DELAY_MS']),
    };
  }

  /** Makes a new booking and returns its outcome. */
  function book(): Promise<string> {
    const wish = {
      activity_id: sale.large[0],
      booking_date: dateAhead(sale, 1),
      num_adults: 1,
      user_name: 'Ada Lovelace',
      user_email: 'ada@example.com',
    };
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(wish) };
    return outcomeOf('execute_booking', request, '"status":"confirmed"');
  }

  function askInventory(): Promise<string> {
    const path = `inventory?activity_id=${sale.large[0]}&date=${dateAhead(sale, 1)}`;
    return outcomeOf(path, {}, `"activity_id":"${sale.large[0]}"`);
  }

  async function outcomeOf(
    path: string,
    request: { method?: string; headers?: Record<string, string>; body?: string },
    expected: string,
  ): Promise<string> {
    try {
      const response = await fetch(`${proxy.url}/api/b2a/${path}`, {
        ...request,
        headers: { ...request.headers, 'x-api-key': apiKey },
        tls: { ca: proxy.ca },
      });
      const text = await response.text();
      return response.status === 200 && text.includes(expected) ? 'as expected' : `${response.status}: ${text}`;
    } catch (fault) {
      return String(fault);
    }
  }

  /** The version agreed on, or what the other side says against it. */
  function handshake(version: 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
    return new Promise((resolve) => {
      const { port, hostname } = new URL(proxy.url);
      const socket = connect({
        port: Number(port),
        host: hostname,
        servername: hostname,
        ca: proxy.ca,
        minVersion: version,
        maxVersion: version,
      });
      socket.once('secureConnect', () => {
        resolve(socket.getProtocol() ?? 'none');
        socket.destroy();
      });
      socket.once('error', (fault) => resolve(String(fault)));
    });
  }
});

type Node = { readonly settings: Settings; readonly service: Service };

async function startNode(settings: Settings): Promise<Node> {
  return { settings, service: await ready(startProgram(['serve'], settings), settings) };
}

/** Creates a key without limits on a node, and stops the node. A node with a copy of its data accepts the key. */
async function firstKey(settings: Settings): Promise<string> {
  const { service } = await startNode({ ...settings, STOP_DELAY_MS: '0' });
  const response = await fetch(`${service.url}/api/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Rolling restart', plan: 'enterprise' }),
  });
  // The parser of this boundary: without the key every booking below is refused.
  const { data } = (await response.json()) as { data: { key: string } };
  await service.program.terminate();
  return data.key;
}

/** Resolves when so many more answers have come. */
async function answered(answers: readonly string[], more: number): Promise<void> {
  const enough = answers.length + more;
  while (answers.length < enough) await new Promise(setImmediate);
}

function tally(answers: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
}

function bookingsIn({ DATA_DIR }: Settings): number {
  using log = new Database(`${DATA_DIR}/events.db`, { readonly: true });
  const row = log
    .query<{ count: number }, []>(
      `SELECT count(*) AS count FROM appends, json_each(events) WHERE json_extract(value, '$.type') LIKE 'BookingConfirmed.%'`,
    )
    .get();
  return row?.count ?? 0;
}
