import { useEffect, useState } from 'preact/hooks';
import { CITY_NAMES, type CityName, cityFacts, isCityName } from '../../../domain/activity/cities.ts';
import { addDays, localDate, parseLocalDate } from '../../../domain/activity/schedule.ts';
import { CATEGORIES, type Category } from '../../../domain/activity/vocabulary.ts';
import { api, read } from '../client.ts';
import { choicesOf, Field, FilterForm, Select } from '../components/form.tsx';
import { Done, Page } from '../components/page.tsx';
import { PagedList } from '../components/table.tsx';
import { usePages } from '../use-answer.ts';
import { useMedia } from '../use-media.ts';
import { type Query, useQuery } from '../use-query.ts';
import { type DateOfRow, longDate, type Row } from './calendar-date.ts';
import { CalendarTable } from './calendar-table.tsx';
import { DateDialog } from './date-dialog.tsx';
import { DayList } from './day-list.tsx';
import { LIVE, useKeptRow } from './kept-row.ts';

const [DAYS, ROWS] = [14, 25];
const HAVING = [
  { value: '', title: 'All dates' },
  { value: 'sold_out', title: 'Sold out' },
  { value: 'nearly_sold_out', title: 'Nearly sold out' },
  { value: 'cancelled', title: 'Cancelled' },
  { value: 'deal', title: 'With a flash deal' },
  { value: 'set_by_operator', title: 'Changed by an operator' },
] as const;

export function CalendarPage() {
  const [query, setQuery] = useQuery();
  // A phone shows one day at a time.
  const narrow = useMedia('(width < 40rem)');
  const city: CityName = isCityName(query['city'] ?? '') ? (query['city'] as CityName) : 'Bangkok';
  const { currency } = cityFacts(city);
  const [from, to] = rangeOf(city, query, narrow);
  const having = HAVING.find(({ value }) => value === query['having'])?.value ?? '';
  const category = CATEGORIES.find((name) => name === query['category']) ?? '';
  const [open, setOpen] = useState<Opened | null>(null);
  const [done, setDone] = useState('');
  const pages = usePages<Row>(
    (cursor) =>
      read(api.calendar.get({ query: { city, from, to, limit: ROWS, ...filtersOf(query, having, category, cursor) } })),
    [city, from, to, having, category, query['q']],
    { live: LIVE },
  );
  const { rows, changedId, left, keep, forget } = useKeptRow(pages.items, from, to, having !== '');
  // What was done is of the dates that the page showed then.
  const showAnew = (): void => {
    setDone('');
    forget();
  };
  useEffect(showAnew, [JSON.stringify(query)]);
  const change: Change = (changed, how) => {
    showAnew();
    setQuery(changed, how);
  };
  const said = `${done}${left ? ` It no longer matches the filter “${titleOf(having)}”; its row stays until you use the filter again.` : ''}`;
  // The latest that was loaded of it; what was chosen, if the page shows other dates by now.
  const latest = rows
    .find(({ activity_id: id }) => id === open?.row.activity_id)
    ?.dates.find(({ date }) => date === open?.shown.date);
  const choose = (row: Row, shown: DateOfRow): void => setOpen({ row, shown });
  return (
    <Page title={`Calendar of ${city}`}>
      <Filters city={city} having={having} category={category} query={query} change={change} />
      <Period city={city} from={from} to={to} narrow={narrow} view={query['view'] ?? ''} change={change} />
      {/* On a phone the card of the activity says it: the top of the page may be out of sight. */}
      <div class={narrow && rows.some(({ activity_id: id }) => id === changedId) ? 'unseen' : ''}>
        <Done>{said}</Done>
      </div>
      <PagedList
        pages={{ ...pages, items: rows }}
        empty={
          query['q']
            ? `No activity of ${city} matches "${query['q']}". It may be in another city.`
            : 'No activity matches.'
        }
      >
        {narrow ? (
          <DayList rows={rows} currency={currency} choose={choose} changed={changedId} said={said} />
        ) : (
          <CalendarTable
            caption={`${city}, ${longDate(from)} to ${longDate(to)}`}
            rows={rows}
            currency={currency}
            today={localDate(city, Date.now())}
            choose={choose}
          />
        )}
      </PagedList>
      {open !== null && (
        <DateDialog
          row={open.row}
          shown={latest ?? open.shown}
          currency={currency}
          close={() => setOpen(null)}
          changed={(message) => {
            setOpen(null);
            setDone(message);
            keep(open.row);
            pages.reload();
          }}
        />
      )}
    </Page>
  );
}

function titleOf(having: string): string {
  return HAVING.find(({ value }) => value === having)?.title ?? '';
}

type Opened = { readonly row: Row; readonly shown: DateOfRow };
type Change = (change: Query, how?: 'replace') => void;

function filtersOf(
  query: Query,
  having: (typeof HAVING)[number]['value'],
  category: Category | '',
  cursor: string | undefined,
) {
  return {
    ...(query['q'] && { q: query['q'] }),
    ...(having !== '' && { having }),
    ...(category !== '' && { category }),
    ...(cursor !== undefined && { cursor }),
  };
}

/** The first and the last date: one on a phone, else two weeks or the whole month. */
function rangeOf(city: CityName, query: Query, narrow: boolean): readonly [string, string] {
  const from = parseLocalDate(query['from'] ?? '') ?? localDate(city, Date.now());
  if (narrow) return [from, from];
  if (query['view'] !== 'month') return [from, addDays(from, DAYS - 1)];
  const first = `${from.slice(0, 7)}-01`;
  return [first, lastOfMonth(first)];
}

function lastOfMonth(first: string): string {
  const [year, month] = [Number(first.slice(0, 4)), Number(first.slice(5, 7))];
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

function Filters({
  city,
  having,
  category,
  query,
  change,
}: {
  readonly city: CityName;
  readonly having: string;
  readonly category: string;
  readonly query: Query;
  readonly change: Change;
}) {
  return (
    <FilterForm names={['q']} query={[query, change]} submit="Search" tone="primary">
      <Select
        label="City"
        name="city"
        value={city}
        choices={choicesOf(CITY_NAMES)}
        onChange={(value) => change({ city: value })}
      />
      <Select
        label="Dates"
        name="having"
        value={having}
        choices={HAVING}
        onChange={(value) => change({ having: value })}
      />
      <Select
        label="Category"
        name="category"
        value={category}
        choices={choicesOf(CATEGORIES, 'All categories')}
        onChange={(value) => change({ category: value })}
      />
      <Field label="Activity or venue" name="q" type="search" value={query['q'] ?? ''} maxLength={80} />
    </FilterForm>
  );
}

function Period({
  city,
  from,
  to,
  narrow,
  view,
  change,
}: {
  readonly city: CityName;
  readonly from: string;
  readonly to: string;
  readonly narrow: boolean;
  readonly view: string;
  readonly change: Change;
}) {
  const by = (start: string, days: number): string =>
    addDays(parseLocalDate(start) ?? localDate(city, Date.now()), days);
  const [before, after] = narrow
    ? [by(from, -1), by(to, 1)]
    : view === 'month'
      ? [`${by(from, -1).slice(0, 7)}-01`, by(to, 1)]
      : [by(from, -DAYS), by(to, 1)];
  const shown = narrow ? 'One day' : view === 'month' ? 'One month' : 'Two weeks';
  return (
    <div class="period">
      <label class="go-to">
        <span>First date</span>
        <input
          key={from}
          type="date"
          defaultValue={from}
          onChange={({ currentTarget }) => {
            if (parseLocalDate(currentTarget.value) !== null) change({ from: currentTarget.value });
          }}
        />
      </label>
      <div class="actions">
        <button type="button" onClick={() => change({ from: before })}>
          ← Earlier
        </button>
        <button type="button" onClick={() => change({ from: '' })}>
          Today
        </button>
        <button type="button" onClick={() => change({ from: after })}>
          Later →
        </button>
      </div>
      {!narrow && (
        <button
          type="button"
          aria-pressed={view === 'month'}
          onClick={() => change({ view: view === 'month' ? '' : 'month' })}
        >
          Whole month
        </button>
      )}
      <p class="soft">
        {shown} at a time. Dates are those of {city}.
      </p>
    </div>
  );
}
