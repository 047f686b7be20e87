import { expect } from 'bun:test';
import { auditLeaks, auditLog } from '../chaos/kill/audit.ts';
import { readHistory } from '../chaos/kill/history.ts';
import { erasedGuests } from '../chaos/kill/stopped.ts';
import { until } from './client.ts';
import { HOLD_MS } from './life-requests.ts';
import { CLAIM_MS, type ThreeNodes } from './three-nodes.ts';

const RESTING_MS = 30_000;

/** After every deadline: no slot or guest leaks, the log obeys all rules, and the key's statement equals the streams. */
export async function auditAtEnd(nodes: ThreeNodes): Promise<void> {
  for (const time of [nodes.answering, nodes.working]) time.advance(HOLD_MS + CLAIM_MS);
  let leaks: readonly string[] = [];
  await until('nothing leaks', RESTING_MS, async () => {
    nodes.working.advance(1_000);
    await nodes.scavenge();
    const history = readHistory(await nodes.log());
    leaks = auditLeaks(history, await erasedGuests(history, nodes.store));
    return leaks.length === 0;
  }).catch((fault: unknown) => expect([fault, leaks]).toEqual([null, []]));
  const history = readHistory(await nodes.log());
  expect(auditLog(history)).toEqual([]);
  const statement = await nodes.tell(0, {
    method: 'GET',
    path: '/api/keys/self/statement',
    as: 'key',
    body: null,
    headers: {},
  });
  const money = [...history.bookings.values()].flatMap((booking) => booking.money);
  const sum = (of: 'charge' | 'refund'): number =>
    money.reduce((total, { type, data }) => (type === of ? total + data.amountMinor : total), 0);
  const [charged, refunded] = [sum('charge'), sum('refund')];
  expect(charged).toBeGreaterThan(0);
  expect(statement.data['totals']).toEqual([
    { currency: 'THB', charged: charged / 100, refunded: refunded / 100, balance: (charged - refunded) / 100 },
  ]);
}
