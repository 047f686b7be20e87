import { useState } from 'preact/hooks';
import { api, read } from '../client.ts';
import { Badge, Fault, Loading, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { money } from '../components/values.tsx';
import { useAnswer } from '../use-answer.ts';
import { closureText, dateLabel, dealText, shortDate, stateText, toneOf } from './calendar-date.ts';
import { DateDialog } from './date-dialog.tsx';
import { LIVE } from './kept-row.ts';
import type { Entry } from './override.tsx';

/** The next two weeks of one activity. */
export function ActivityDates({
  entry,
  changed,
}: {
  readonly entry: Entry;
  readonly changed: (message: string) => void;
}) {
  const { id, currency } = entry;
  const [open, setOpen] = useState<string | null>(null);
  const { answer, fault, reload } = useAnswer(() => read(api.calendar.get({ query: { activity_id: id } })), [id], {
    live: LIVE,
  });
  const row = answer?.items[0];
  const shown = row?.dates.find(({ date }) => date === open);
  return (
    <Section title="Next dates">
      <Fault of={fault} retry={reload} />
      {row === undefined && fault === null && <Loading />}
      {row !== undefined && (
        <Table
          caption="Two weeks from today on"
          rows={row.dates}
          keyOf={({ date }) => date}
          columns={[
            { title: 'Date', cell: ({ date }) => shortDate(date) },
            {
              title: 'State',
              cell: (date) => (
                <>
                  <Badge tone={toneOf(date)}>{stateText(date)}</Badge> {closureText(date)}
                </>
              ),
            },
            {
              title: 'Sold',
              align: 'end',
              cell: ({ sold, capacity, set_by_operator: set }) =>
                `${sold} of ${capacity}${set.includes('capacity') ? ' ✎' : ''}`,
            },
            { title: 'Held', align: 'end', cell: ({ held }) => held },
            {
              title: 'Price',
              align: 'end',
              cell: ({ price, set_by_operator: set }) =>
                price === null ? '–' : `${money(price, currency)}${set.includes('price') ? ' ✎' : ''}`,
            },
            { title: 'Deal', cell: (date) => dealText(date) ?? '–' },
            {
              title: 'Change',
              cell: (date) => (
                <button
                  type="button"
                  aria-label={`Open ${dateLabel(row.title, date, currency)}`}
                  onClick={() => setOpen(date.date)}
                >
                  Open
                </button>
              ),
            },
          ]}
        />
      )}
      {row !== undefined && shown !== undefined && (
        <DateDialog
          row={row}
          shown={shown}
          currency={currency}
          close={() => setOpen(null)}
          changed={(message) => {
            setOpen(null);
            reload();
            changed(message);
          }}
        />
      )}
    </Section>
  );
}
