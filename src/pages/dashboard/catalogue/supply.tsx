import { api, read } from '../client.ts';
import { Badge, Done, Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { Copy, When } from '../components/values.tsx';
import { useAnswer } from '../use-answer.ts';

/** The files of the catalogue and the exchange rates: what the service reads, and the faults that keep it from it. */
export function SupplyPage() {
  const { answer, fault, reload, loading } = useAnswer(() => read(api.ops.supply.get()), [], { live: ['activities'] });
  return (
    <Page
      title="Supply"
      actions={
        <button type="button" onClick={reload} disabled={loading}>
          Check again
        </button>
      }
    >
      <Fault of={fault} retry={reload} />
      {answer === undefined && fault === null && <Loading />}
      {answer !== undefined && (
        <>
          {answer.failure !== null && (
            <p class="notice bad" role="alert">
              The files could not be read: {answer.failure} The service tries again in a few seconds.
            </p>
          )}
          <Section title="Faults in the files">
            {answer.faults.length === 0 ? (
              <Done>All files are without fault, and in use.</Done>
            ) : (
              <>
                <p class="notice warn">
                  A file with a fault is not used: its last version without faults stays in force. Correct the file; the
                  service reads it again as soon as it is saved.
                </p>
                <Table
                  caption="Faults"
                  rows={answer.faults}
                  keyOf={({ file, line, column, field, message }) => `${file} ${line} ${column} ${field} ${message}`}
                  columns={[
                    { title: 'File', cell: ({ file }) => <code>{file}</code> },
                    { title: 'Line', align: 'end', cell: ({ line }) => line },
                    { title: 'Column', align: 'end', cell: ({ column }) => column ?? '–' },
                    { title: 'Field', cell: ({ field }) => (field === '' ? 'the whole file' : <code>{field}</code>) },
                    { title: 'What is wrong, and what to do', cell: ({ message }) => message },
                    {
                      title: 'Place',
                      cell: ({ file, line, column }) => (
                        <Copy text={`${file}:${line}${column === null ? '' : `:${column}`}`} label="Copy the place" />
                      ),
                    },
                  ]}
                />
              </>
            )}
          </Section>
          <Section title="In use">
            <Facts
              of={{
                'All files valid': <When at={answer.confirmed_at} />,
                'Last read': <When at={answer.looked_at} />,
                Activities: answer.activities.toLocaleString('en'),
                Hotels: answer.hotels.toLocaleString('en'),
                'Exchange rates of': answer.exchange_rates_as_of,
              }}
            />
          </Section>
          <Section title="Entries that an operator changed">
            {answer.overridden.length === 0 ? (
              <p class="soft">None: every entry is that of its file.</p>
            ) : (
              <ul class="links">
                {answer.overridden.map((id) => (
                  <li key={id}>
                    <a href={`/dashboard/activities/${id}`}>{id}</a> <Badge tone="info">changed</Badge>
                  </li>
                ))}
              </ul>
            )}
          </Section>
        </>
      )}
    </Page>
  );
}
