import { useState } from 'preact/hooks';
import { EARLY_MS, MOST_PER_MINUTE } from '../../../domain/venue/device-figures.ts';
import { api, read } from '../client.ts';
import { Field, FilterForm } from '../components/form.tsx';
import { Badge, Done, Page, Tabs } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { usePages } from '../use-answer.ts';
import { hrefWith, type Query, useQuery } from '../use-query.ts';
import { Actions } from './actions.tsx';
import type { DeviceDay } from './answers.ts';

const HOUR_MS = 3_600_000;
const PAGE = 20;

const PATTERNS: Readonly<Record<DeviceDay['unusual'][number], string>> = {
  disputed: 'refunded after the visit',
  voided: 'voided',
  early: `scans over ${EARLY_MS / HOUR_MS} hours before the opening`,
  per_minute: `over ${MOST_PER_MINUTE} scans in a minute`,
};

function filtersOf({ venue_id, device_id, from, to }: Query) {
  return { ...(venue_id && { venue_id }), ...(device_id && { device_id }), ...(from && { from }), ...(to && { to }) };
}

/** What each device recorded by day; by default only the days that are unusual. */
export function PatternsPage() {
  const [query, change] = useQuery();
  const [said, setSaid] = useState('');
  const all = query['days'] === 'all';
  const filters = { ...filtersOf(query), ...(!all && { unusual: true }) };
  const pages = usePages<DeviceDay>(
    (cursor) => read(api.devices.get({ query: { ...filters, limit: PAGE, ...(cursor && { cursor }) } })),
    [filters],
    { live: ['devicedays', 'devices'] },
  );
  const done = (text: string): void => {
    setSaid(text);
    pages.reload();
  };
  return (
    <Page title={all ? 'Days of gate devices' : 'Unusual days of gate devices'}>
      <Tabs
        label="Days"
        current={all ? 'all' : 'unusual'}
        tabs={[
          { value: 'unusual', title: 'Unusual days', href: hrefWith(query, { days: '' }) },
          { value: 'all', title: 'All days', href: hrefWith(query, { days: 'all' }) },
        ]}
      />
      <FilterForm names={['venue_id', 'device_id', 'from', 'to']} query={[query, change]}>
        <Field label="Venue (id)" name="venue_id" value={query['venue_id'] ?? ''} />
        <Field label="Device (id)" name="device_id" value={query['device_id'] ?? ''} placeholder="dev_…" />
        <Field label="From" name="from" type="date" value={query['from'] ?? ''} />
        <Field label="To" name="to" type="date" value={query['to'] ?? ''} />
      </FilterForm>
      <Done>{said}</Done>
      <PagedTable
        pages={pages}
        caption="Days of gate devices by the local date, the latest first"
        empty={all ? 'No device recorded a visit in these days.' : 'No day is unusual.'}
        columns={columnsOf(done)}
        keyOf={({ device_id, day }) => `${day} ${device_id}`}
      />
    </Page>
  );
}

function columnsOf(done: (text: string) => void): readonly Column<DeviceDay>[] {
  const count = (title: string, of: (day: DeviceDay) => number): Column<DeviceDay> => ({
    title,
    align: 'end',
    cell: (day) => of(day).toLocaleString('en'),
  });
  return [
    { title: 'Day', cell: ({ day }) => <span class="number">{day}</span> },
    {
      title: 'Device',
      cell: ({ name, device_id, paused }) => (
        <>
          {name ?? 'removed'} <code>{device_id}</code> {paused === true && <Badge tone="warn">paused</Badge>}
        </>
      ),
    },
    {
      title: 'Venue',
      cell: ({ venue_id }) => (
        <a href={`/dashboard/devices/venue?venue_id=${encodeURIComponent(venue_id)}`}>{venue_id}</a>
      ),
    },
    {
      title: 'Unusual',
      cell: ({ unusual }) =>
        unusual.length === 0 ? (
          <span class="soft">nothing</span>
        ) : (
          <span class="actions">
            {unusual.map((pattern) => (
              <Badge key={pattern} tone="warn">
                {PATTERNS[pattern]}
              </Badge>
            ))}
          </span>
        ),
    },
    count('Visits', ({ visits }) => visits),
    count('Early', ({ early }) => early),
    count('Disputed', ({ disputed }) => disputed),
    count('Voided', ({ voided }) => voided),
    count('Most in a minute', ({ most_per_minute: most }) => most),
    { title: 'Actions', cell: (day) => <Actions device={day} day={day} done={done} /> },
  ];
}
