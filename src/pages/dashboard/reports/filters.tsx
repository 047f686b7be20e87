import { useState } from 'preact/hooks';
import { CITY_NAMES } from '../../../domain/activity/cities.ts';
import { choicesOf, Field, FilterForm, Select } from '../components/form.tsx';
import { Done, Fault, Tabs } from '../components/page.tsx';
import { asError } from '../use-answer.ts';
import { hrefWith, type Query } from '../use-query.ts';
import { type Asked, csvOf, type ReportName } from './rows.ts';

const FILTERS = ['from', 'to', 'city', 'activity_id'];

/** The filters in the address, as the API takes them. */
export function filtersOf({ from, to, city, activity_id }: Query): Asked {
  return {
    ...(from && { from }),
    ...(to && { to }),
    ...(city && { city }),
    ...(activity_id && { activity_id }),
  };
}

/**
 * @param days what a day of this report is
 * @param groups the columns to group by, with their titles
 */
export function Filters({
  query,
  change,
  days,
  groups,
}: {
  readonly query: Query;
  readonly change: (change: Query) => void;
  readonly days: string;
  readonly groups?: Readonly<Record<string, string>>;
}) {
  return (
    <>
      <Periods query={query} />
      <FilterForm
        names={groups === undefined ? FILTERS : [...FILTERS, 'group_by']}
        query={[query, change]}
        submit="Show"
      >
        <Field label="From" name="from" type="date" value={query['from'] ?? ''} />
        <Field label="To" name="to" type="date" value={query['to'] ?? ''} />
        <Select label="City" name="city" value={query['city'] ?? ''} choices={choicesOf(CITY_NAMES, 'all')} />
        <Field label="Activity (id)" name="activity_id" value={query['activity_id'] ?? ''} placeholder="bkk-…" />
        {groups !== undefined && (
          <Select
            label="Group by"
            name="group_by"
            value={query['group_by'] ?? ''}
            choices={Object.entries(groups).map(([value, title]) => ({ value, title }))}
          />
        )}
      </FilterForm>
      <p class="soft">{days}</p>
    </>
  );
}

function Periods({ query }: { readonly query: Query }) {
  const { from = '', to = '' } = query;
  const periods = periodsAt(new Date());
  const current = periods.find((period) => period.from === from && period.to === to);
  return (
    <Tabs
      label="Period"
      current={current?.title ?? ''}
      tabs={periods.map((period) => ({
        value: period.title,
        title: period.title,
        href: hrefWith(query, { from: period.from, to: period.to }),
      }))}
    />
  );
}

/** By the date in UTC; an empty text is no bound. */
function periodsAt(now: Date) {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const date = (atMs: number): string => new Date(atMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const today = date(now.getTime());
  return [
    { title: 'All days', from: '', to: '' },
    { title: 'Last 30 days', from: date(Date.UTC(year, month, day - 29)), to: today },
    { title: 'This month', from: date(Date.UTC(year, month, 1)), to: date(Date.UTC(year, month + 1, 0)) },
    { title: 'Last month', from: date(Date.UTC(year, month - 1, 1)), to: date(Date.UTC(year, month, 0)) },
  ];
}

/** Downloads the whole report, not only what the page shows. */
export function CsvButton({ report, asked }: { readonly report: ReportName; readonly asked: Asked }) {
  const [state, setState] = useState<'idle' | 'loading' | 'saved'>('idle');
  const [fault, setFault] = useState<Error | null>(null);
  const download = async (): Promise<void> => {
    setState('loading');
    setFault(null);
    try {
      save(await csvOf(report, asked), nameOf(report, asked));
      setState('saved');
    } catch (thrown) {
      setFault(asError(thrown));
      setState('idle');
    }
  };
  return (
    <>
      <button type="button" disabled={state === 'loading'} onClick={() => void download()}>
        {state === 'loading' ? 'Loading…' : 'Download CSV'}
      </button>
      <Fault of={fault} />
      <Done>{state === 'saved' ? `${nameOf(report, asked)} is saved.` : null}</Done>
    </>
  );
}

function nameOf(report: ReportName, { from, to, group_by }: Asked): string {
  return `${['waymark', report, ...(group_by ?? '').split(','), from, to].filter(Boolean).join('-')}.csv`;
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
