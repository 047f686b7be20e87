import { expect, test } from 'bun:test';
import { openService, TODAY, withKey } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Report = AnswerOf<'get /api/analytics/visits'>;

test('an analyst sees a key only as a pseudonym, the same in every report, on every page and after a restart', async () => {
  await using service = await openService();
  const made = [await service.createKey(), await service.createKey(), await service.createKey()];
  for (const { key } of made) {
    const { data } = await service.recommend({}, withKey(key));
    const wish = { booking_date: TODAY, num_adults: 1, context_log_id: data.context.log_id };
    const { voucher } = (await service.book(wish, withKey(key))).data;
    await service.verify({ code: voucher.code });
  }
  const ids = made.map(({ id }) => id);
  const read = async (name: string, query: string, asker = service.analyst): Promise<Report> => {
    await service.documents(name);
    return (await service.get<Report>(`/api/analytics/${name}?group_by=key_id${query}`, asker)).data;
  };
  const named = ({ items }: Report) => items.map(({ key_id }) => String(key_id));
  const ordered = (texts: readonly string[]) => texts.toSorted((left, right) => (left < right ? -1 : 1));
  expect(named(await read('conversions', '', service.admin))).toEqual(ordered(ids));
  const seen = named(await read('conversions', ''));
  expect(seen).toEqual(ids.map((): string => expect.stringMatching(/^key_[0-9a-z]{20}$/)));
  expect(seen).toEqual(ordered([...new Set(seen)]));
  expect(named(await read('visits', ''))).toEqual(seen);
  await service.restart();
  const paged: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Report = await read('visits', `&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
    paged.push(...named(page));
    cursor = page.next_cursor;
    for (const id of ids) expect(Buffer.from(cursor ?? '', 'base64url').toString()).not.toContain(id);
  }
  expect(paged).toEqual(seen);
  const table = await service.send('/api/analytics/visits?group_by=key_id&format=csv', { headers: service.analyst });
  expect((await table.text()).trim().split('\r\n').slice(1)).toEqual(seen.map((key) => `${key},1,1,0`));
});
