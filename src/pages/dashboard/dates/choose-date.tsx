import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { CITY_NAMES, type CityName } from '../../../domain/activity/cities.ts';
import { type DateOfRow, longDate, type Row, stateText, toneOf } from '../catalogue/calendar-date.ts';
import { ApiError, api, read } from '../client.ts';
import { Field, FilterForm } from '../components/form.tsx';
import { Badge, Empty, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { useAnswer } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';

/** Matches of each city. */
const LIMIT = 10;

/** Leads to the page of one date, which the calendar links too. */
export function ChooseDatePage() {
  const [query, change] = useQuery();
  const { activity = '', date = '' } = query;
  return (
    <Page title="Cancel a date">
      <p>
        Choose the activity, by words of its name or venue or by its id, and the date. The next page says what a
        cancellation would do, before anything happens.
      </p>
      <FilterForm names={['activity', 'date']} query={[query, change]} submit="Show what would happen" tone="primary">
        <Field label="Activity" name="activity" value={activity} maxLength={80} required />
        <Field label="Date" name="date" type="date" value={date} required />
      </FilterForm>
      {activity !== '' && date !== '' && <Matches text={activity} date={date} />}
    </Page>
  );
}

function Matches({ text, date }: { readonly text: string; readonly date: string }) {
  const { route } = useLocation();
  const { answer, fault, reload } = useAnswer(() => find(text, date), [text, date]);
  const exact = answer === 'exact';
  useEffect(() => {
    if (exact) route(pathOf(text, date), true);
  }, [exact]);
  if (answer === undefined || answer === 'exact')
    return fault === null ? <Loading /> : <Fault of={fault} retry={reload} />;
  return (
    <Section title={`Matching activities on ${longDate(date)}`}>
      {answer.length === 0 ? (
        <Empty>No activity on sale in any city matches "{text}".</Empty>
      ) : (
        <Table
          caption="Choose one to see what a cancellation would do"
          rows={answer}
          keyOf={({ row }) => row.activity_id}
          columns={[
            { title: 'Activity', cell: ({ row }) => <a href={pathOf(row.activity_id, date)}>{row.title}</a> },
            { title: 'City', cell: ({ city }) => city },
            { title: 'Id', cell: ({ row }) => <code>{row.activity_id}</code> },
            { title: 'Sold', align: 'end', cell: ({ shown }) => shown?.sold ?? '–' },
            {
              title: 'State',
              cell: ({ shown }) => shown !== undefined && <Badge tone={toneOf(shown)}>{stateText(shown)}</Badge>,
            },
          ]}
        />
      )}
    </Section>
  );
}

function pathOf(activity: string, date: string): string {
  return `/dashboard/dates/${encodeURIComponent(activity)}/${date}/cancel`;
}

type Match = { readonly city: CityName; readonly row: Row; readonly shown: DateOfRow | undefined };

/** The activities that match in each city; `exact` if the text is the id of one, also of one that is no longer sold. */
async function find(text: string, date: string): Promise<'exact' | readonly Match[]> {
  if (/^[\w-]+$/.test(text) && (await isActivity(text))) return 'exact';
  const found = await Promise.all(CITY_NAMES.map((city) => findIn(city, text, date)));
  return found.flat();
}

async function findIn(city: CityName, q: string, date: string): Promise<readonly Match[]> {
  const { items } = await read(api.calendar.get({ query: { city, q, from: date, to: date, limit: LIMIT } }));
  return items.map((row) => ({ city, row, shown: row.dates[0] }));
}

async function isActivity(id: string): Promise<boolean> {
  try {
    await read(api.activities({ activity_id: id }).get());
    return true;
  } catch (fault) {
    if (fault instanceof ApiError && fault.status === 404) return false;
    throw fault;
  }
}
