import { TRAVEL_TYPES } from '../../../domain/activity/vocabulary.ts';
import { Empty, Loading, Page, Section, Tabs } from '../components/page.tsx';
import { Bars, Table } from '../components/table.tsx';
import { useAnswer } from '../use-answer.ts';
import { hrefWith } from '../use-query.ts';
import { countColumn, fileName, fileOf, groupColumn, type ReportColumn, rateColumn, useCsv } from './csv.tsx';
import { numberIn, percent, type ReportRow, sumsBy, textIn, totalOf } from './figures.ts';
import { AsOf, Filters, filtersOf, isBackwards, ReportFault, useReportQuery } from './filters.tsx';
import { GroupName, TOTAL } from './group-name.tsx';
import { allRows, type Rows } from './rows.ts';

/** Travellers whose type is not known: their booking named no recommendation. */
const UNKNOWN = 'unknown';
const MOST_BARS = 15;
/** With fewer visits than this, one more or less changes a share by more than three points. */
const FEW_VISITS = 30;
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
  const [query, change] = useReportQuery();
  const filters = filtersOf(query);
  const asked = { ...filters, group_by: 'travel_type,activity_id' };
  const who = query['travel_type'] ?? '';
  const load = async () => (isBackwards(query) ? null : allRows('visits', asked));
  const { answer, fault, reload } = useAnswer(load, [asked], { live: ['visits'] });
  const text = async (): Promise<string> => {
    const all = answer?.complete === true ? answer : await allRows('visits', asked, Number.POSITIVE_INFINITY);
    const activities = activitiesOf(all.rows, who);
    return fileOf(columnsOf(activities), activities);
  };
  const { button, message } = useCsv(
    fileName('visits', filters, who === '' ? '' : (WHO[who] ?? who)),
    answer ? text : null,
  );
  return (
    <Page title="Visits" actions={button}>
      <Filters
        query={query}
        change={change}
        basis="local"
        fault={fault}
        about="Vouchers that a gate verified. The type of a traveller is known if the booking named a recommendation."
      >
        <Tabs
          label="Travellers"
          current={who}
          tabs={['', ...TRAVEL_TYPES, UNKNOWN].map((type) => ({
            value: type,
            title: WHO[type] ?? type,
            href: hrefWith(query, { travel_type: type }),
          }))}
        />
      </Filters>
      <div>
        <AsOf atMs={answer?.asOfMs} />
        {message}
      </div>
      <ReportFault of={fault} retry={reload} />
      {answer === undefined && fault === null && <Loading />}
      {answer && <Shown answer={answer} who={who} />}
    </Page>
  );
}

/** The activities that travellers of a type visited, those with the most visits first. */
function activitiesOf(rows: readonly ReportRow[], who: string): readonly ReportRow[] {
  const of = who === '' ? rows : rows.filter((row) => textIn(row, 'travel_type') === who);
  return sumsBy(of, 'activity_id', COUNTS);
}

function Shown({ answer: { rows, complete }, who }: { readonly answer: Rows; readonly who: string }) {
  const activities = activitiesOf(rows, who);
  const types = sumsBy(rows, 'travel_type', COUNTS);
  return (
    <>
      {!complete && (
        <p class="notice warn">There are more groups than this page adds up. Choose fewer days, or one city.</p>
      )}
      {activities.length === 0 ? (
        <Empty>No visit by {WHO[who] ?? who} in these days.</Empty>
      ) : (
        <Activities activities={activities} types={types} who={who} />
      )}
      {types.length > 0 && (
        <Section title="Who came">
          <Bars
            caption="Visits by type of traveller"
            label="Travellers"
            unit="Visits"
            bars={types.map((row) => ({
              label: WHO[textIn(row, 'travel_type')] ?? textIn(row, 'travel_type'),
              value: numberIn(row, 'visits'),
              text: `${numberIn(row, 'visits').toLocaleString('en')} (${percent(numberIn(row, 'visits'), visitsIn(types))})`,
            }))}
          />
        </Section>
      )}
    </>
  );
}

function Activities({
  activities,
  types,
  who,
}: {
  readonly activities: readonly ReportRow[];
  readonly types: readonly ReportRow[];
  readonly who: string;
}) {
  const title = `Activities that ${WHO[who] ?? who} visited`;
  const visits = visitsIn(activities);
  const few = visits < FEW_VISITS;
  return (
    <>
      <Section title={title}>
        <p>{sharesOf(types, visits, who)}</p>
        {few && <p class="notice warn">Fewer than {FEW_VISITS} visits: differences can be chance.</p>}
        {activities.length > 1 && (
          <Bars
            caption={activities.length > MOST_BARS ? `The ${MOST_BARS} with the most visits` : 'By number of visits'}
            label="Activity"
            unit="Visits"
            bars={activities.slice(0, MOST_BARS).map((row) => ({
              label: textIn(row, 'activity_id'),
              name: <GroupName row={row} by="activity_id" />,
              value: numberIn(row, 'visits'),
            }))}
          />
        )}
      </Section>
      <Section title="All figures">
        <Table
          caption={title}
          columns={columnsOf(activities)}
          rows={activities}
          keyOf={(row) => textIn(row, 'activity_id')}
          total={{ ...totalOf(activities, COUNTS), activity_id: TOTAL }}
        />
      </Section>
    </>
  );
}

/** How many of the visits the page is about, and how many of them nobody can tell the type of. */
function sharesOf(types: readonly ReportRow[], visits: number, who: string): string {
  const all = visitsIn(types).toLocaleString('en');
  const shown = who === '' ? `${all} visits` : `${visits.toLocaleString('en')} of ${all} visits`;
  const unknown = visitsIn(types.filter((row) => textIn(row, 'travel_type') === UNKNOWN));
  return who === UNKNOWN ? `${shown}.` : `${shown}; ${unknown.toLocaleString('en')} of travellers of unknown type.`;
}

function columnsOf(activities: readonly ReportRow[]): readonly ReportColumn[] {
  const all = visitsIn(activities);
  return [
    groupColumn('Activity', 'activity_id'),
    countColumn('Visits', 'visits'),
    rateColumn('Share of visits', 'share_of_visits', 'visits', () => all),
    countColumn('Guests', 'guests'),
    countColumn('Disputed', 'disputed'),
  ];
}

function visitsIn(rows: readonly ReportRow[]): number {
  return numberIn(totalOf(rows, ['visits']), 'visits');
}
