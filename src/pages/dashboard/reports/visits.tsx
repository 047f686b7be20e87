import { TRAVEL_TYPES } from '../../../domain/activity/vocabulary.ts';
import { Empty, Fault, Loading, Page, Section, Tabs } from '../components/page.tsx';
import { Bars, type Column, Table } from '../components/table.tsx';
import { useAnswer } from '../use-answer.ts';
import { hrefWith, useQuery } from '../use-query.ts';
import { numberIn, percent, type ReportRow, sumsBy, textIn } from './figures.ts';
import { CsvButton, Filters, filtersOf } from './filters.tsx';
import { allRows, type Rows } from './rows.ts';

/** Travellers whose type is not known: their booking named no recommendation. */
const UNKNOWN = 'unknown';
const MOST_BARS = 15;
const COUNTS = ['visits', 'guests', 'disputed'] as const;

const WHO: Readonly<Record<string, string>> = {
  '': 'all travellers',
  family: 'families',
  couple: 'couples',
  solo: 'solo travellers',
  business: 'business travellers',
  friends: 'friends',
  [UNKNOWN]: 'travellers of unknown type',
};

/** Which activities travellers of a type visited. */
export function VisitsPage() {
  const [query, change] = useQuery();
  const asked = { ...filtersOf(query), group_by: 'travel_type,activity_id' };
  const who = query['travel_type'] ?? '';
  const { answer, fault, reload } = useAnswer(() => allRows('visits', asked), [asked], { live: ['visits'] });
  return (
    <Page title="Visits" actions={<CsvButton report="visits" asked={asked} />}>
      <Tabs
        label="Travellers"
        current={who}
        tabs={['', ...TRAVEL_TYPES, UNKNOWN].map((type) => ({
          value: type,
          title: WHO[type] ?? type,
          href: hrefWith(query, { travel_type: type }),
        }))}
      />
      <Filters
        query={query}
        change={change}
        days="Vouchers that a gate verified, by the local date of the city. The type of a traveller is known if the booking named a recommendation."
      />
      <Fault of={fault} retry={reload} />
      {answer === undefined ? fault === null && <Loading /> : <Shown answer={answer} who={who} />}
    </Page>
  );
}

function Shown({ answer: { rows, complete }, who }: { readonly answer: Rows; readonly who: string }) {
  const of = who === '' ? rows : rows.filter((row) => textIn(row, 'travel_type') === who);
  const activities = sumsBy(of, 'activity_id', COUNTS);
  const types = sumsBy(rows, 'travel_type', COUNTS);
  const title = `Activities that ${WHO[who] ?? who} visited`;
  if (activities.length === 0) return <Empty>No visit by {WHO[who] ?? who} in these days.</Empty>;
  return (
    <>
      {!complete && (
        <p class="notice warn">There are more groups than this page adds up. Choose fewer days, or one city.</p>
      )}
      <Section title={title}>
        <Bars
          caption={activities.length > MOST_BARS ? `The ${MOST_BARS} with the most visits` : 'By number of visits'}
          label="Activity"
          unit="Visits"
          bars={activities.slice(0, MOST_BARS).map((row) => ({
            label: textIn(row, 'activity_id'),
            value: numberIn(row, 'visits'),
          }))}
        />
      </Section>
      <Section title="All figures">
        <Table
          caption={title}
          columns={columnsOf(total(activities, 'visits'))}
          rows={activities}
          keyOf={(row) => textIn(row, 'activity_id')}
        />
      </Section>
      {who === '' && (
        <Section title="Who came">
          <Bars
            caption="Visits by type of traveller"
            label="Travellers"
            unit="Visits"
            bars={types.map((row) => ({
              label: WHO[textIn(row, 'travel_type')] ?? textIn(row, 'travel_type'),
              value: numberIn(row, 'visits'),
            }))}
          />
        </Section>
      )}
    </>
  );
}

function columnsOf(visits: number): readonly Column<ReportRow>[] {
  return [
    { title: 'Activity', cell: (row) => <code>{textIn(row, 'activity_id')}</code> },
    { title: 'Visits', align: 'end', cell: (row) => numberIn(row, 'visits').toLocaleString('en') },
    { title: 'Share of visits', align: 'end', cell: (row) => percent(numberIn(row, 'visits'), visits) },
    { title: 'Guests', align: 'end', cell: (row) => numberIn(row, 'guests').toLocaleString('en') },
    { title: 'Disputed', align: 'end', cell: (row) => numberIn(row, 'disputed').toLocaleString('en') },
  ];
}

function total(rows: readonly ReportRow[], name: string): number {
  return rows.reduce((sum, row) => sum + numberIn(row, name), 0);
}
