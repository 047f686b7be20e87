import type { Api, DataFrom } from '../answers.ts';
import { Badge, type Tone } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { money } from '../components/values.tsx';
import { shortDate } from './calendar-date.ts';

/** The answer to a change of dates, or to its dry run. */
export type Range = DataFrom<ReturnType<Api['activities']>['allotments']['put']>;
type DateOfRange = Range['dates'][number];

export function datesText(dates: number): string {
  return dates === 1 ? '1 date' : `${dates.toLocaleString('en')} dates`;
}

function summaryOf({ dry_run: dryRun, changed, refused, dates, complete }: Range): string {
  const closed = dates.filter(({ result }) => result === 'closed').length;
  return [
    changed === 0 ? 'No date changes.' : `${datesText(changed)} ${dryRun ? 'would change' : 'changed'}.`,
    ...(refused > 0 ? [`${datesText(refused)} refused: see why below.`] : []),
    ...(closed > 0 ? [`Closed on ${datesText(closed)}.`] : []),
    ...(complete ? [] : ['Not all dates were done: send it again.']),
  ].join(' ');
}

const RESULTS: Readonly<Record<DateOfRange['result'], { readonly tone: Tone; readonly text: string }>> = {
  changed: { tone: 'good', text: 'Changed' },
  unchanged: { tone: 'plain', text: 'Already so' },
  closed: { tone: 'plain', text: 'Closed' },
  refused: { tone: 'bad', text: 'Refused' },
  not_done: { tone: 'warn', text: 'Not done' },
};

export function RangeResults({ answer, currency }: { readonly answer: Range; readonly currency: string }) {
  const between = (one: string | null, other: string | null): string =>
    one === null || one === other ? (other ?? '') : `${one} → ${other}`;
  const priceOf = (terms: DateOfRange['after']): string | null => terms && money(terms.price, currency);
  const dealOf = (terms: DateOfRange['after']): string | null =>
    terms && (terms.flash_deal === null ? 'none' : `${terms.flash_deal.discount_percent}% off`);
  return (
    <>
      <p role="status">{summaryOf(answer)}</p>
      <div class="results">
        <Table
          caption="Each date"
          rows={answer.dates}
          keyOf={({ date }) => date}
          columns={[
            { title: 'Date', cell: ({ date }) => shortDate(date) },
            {
              title: 'Result',
              cell: ({ result, why }) => (
                <>
                  <Badge tone={RESULTS[result].tone}>
                    {answer.dry_run && result === 'changed' ? 'Changes' : RESULTS[result].text}
                  </Badge>{' '}
                  {why}
                </>
              ),
            },
            {
              title: 'Capacity',
              cell: ({ before, after }) => between(before && String(before.capacity), after && String(after.capacity)),
            },
            { title: 'Price', cell: ({ before, after }) => between(priceOf(before), priceOf(after)) },
            { title: 'Deal', cell: ({ before, after }) => between(dealOf(before), dealOf(after)) },
          ]}
        />
      </div>
    </>
  );
}
