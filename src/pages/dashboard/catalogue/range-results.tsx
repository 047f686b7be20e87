import type { Api, DataFrom } from '../answers.ts';
import { Badge, type Tone } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { money } from '../components/values.tsx';
import { longDate, shortDate } from './calendar-date.ts';

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

type Terms = DateOfRange['after'];

/** What a change of a date can change, as text; null on a closed date. */
const TERMS: readonly (readonly [title: string, textOf: (terms: Terms, currency: string) => string | null])[] = [
  ['Capacity', (terms) => terms && String(terms.capacity)],
  ['Price', (terms, currency) => terms && money(terms.price, currency)],
  ['Deal', (terms) => terms && (terms.flash_deal === null ? 'none' : `${terms.flash_deal.discount_percent}% off`)],
];

function between(one: string | null, other: string | null): string {
  return one === null || one === other ? (other ?? '') : `${one} → ${other}`;
}

/**
 * `River Walk, Friday 4 December 2026: capacity 24 → 34.`; empty unless exactly one date has changed.
 *
 * @param preview of the same change: only a dry run has what was before
 */
export function changesText({ dates }: Range, preview: Range, title: string, currency: string): string {
  const [only, another] = dates.filter(({ result }) => result === 'changed');
  if (only === undefined || another !== undefined) return '';
  const before = preview.dates.find(({ date }) => date === only.date)?.before ?? null;
  const changes = TERMS.flatMap(([name, textOf]) => {
    const [was, is] = [textOf(before, currency), textOf(only.after, currency)];
    return was === is ? [] : [`${name.toLowerCase()} ${between(was, is)}`];
  });
  return `${title}, ${longDate(only.date)}: ${changes.join(', ')}.`;
}

export function RangeResults({ answer, currency }: { readonly answer: Range; readonly currency: string }) {
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
            ...TERMS.map(([title, textOf]) => ({
              title,
              cell: ({ before, after }: DateOfRange) => between(textOf(before, currency), textOf(after, currency)),
            })),
          ]}
        />
      </div>
    </>
  );
}
