import { describe, expect, test } from 'bun:test';
import { evidenceOf } from '../../support/evidence.ts';
import { openService, type Service, TODAY } from '../../support/service.ts';

/** Books a shown activity of today by an answer of recommend, and scans its voucher. @returns the booking's id */
async function visit(service: Service, change: object = {}): Promise<string> {
  const { booking_id, voucher } = (await service.book({ booking_date: TODAY, ...change })).data;
  expect((await service.verify({ code: voucher.code })).status).toBe(200);
  return booking_id;
}

/** The ground truth of the river walk in an answer to a couple. */
async function groundTruth(service: Service): Promise<number | undefined> {
  await service.documents('groundtruth');
  const { recommendations } = (await service.recommend()).data;
  return recommendations.find(({ id }) => id === 'river-walk')?.score_breakdown.ground_truth;
}

describe('a verified visit', () => {
  test('raises the ground truth of its activity within a moment', async () => {
    await using service = await openService();
    const { log_id } = (await service.recommend()).data.context;
    const before = await groundTruth(service);
    const booking_id = await visit(service, { context_log_id: log_id });
    const [credited] = await evidenceOf(service, 1);
    console.log(JSON.stringify(credited), booking_id);
    expect(before).toBe(0.5);
    expect(await groundTruth(service)).toBeGreaterThan(0.5);
  });
});
