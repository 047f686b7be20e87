import { useRoute } from 'preact-iso';
import { api, read } from '../client.ts';
import { Facts, Fault, Loading, Page, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { useAnswer } from '../use-answer.ts';
import type { ErasureReport } from './load.ts';

/** What an erasure reaches or has reached, what waits, and what is kept. */
export function ErasurePage() {
  const { id = '' } = useRoute().params;
  const { answer, fault, loading, reload } = useAnswer(
    () => read(api.bookings({ booking_id: id }).erasure.get()),
    [id],
    { live: ['guests', 'bookings'] },
  );
  return (
    <Page title={`Erasure of the guest of ${id}`}>
      <p>
        <a href={`/dashboard/bookings/${id}`}>Back to the booking</a>
      </p>
      <Fault of={fault} retry={reload} />
      {answer === undefined && loading && <Loading />}
      {answer !== undefined && <Report of={answer} />}
    </Page>
  );
}

function Report({ of: report }: { readonly of: ErasureReport }) {
  return (
    <>
      <Section title="State">
        <Facts
          of={{
            Erased: report.erased_at === null ? 'not erased' : <When at={report.erased_at} />,
            By: report.erased_by,
            'Will be erased automatically': report.erases_at === null ? null : <When at={report.erases_at} />,
            Complete: report.complete ? 'yes' : 'no',
          }}
        />
      </Section>
      <Parts title="In the service" parts={report.erased} />
      <Parts title="Held by others, who must erase it" parts={report.waiting} />
      <Parts title="Kept" parts={report.kept} />
    </>
  );
}

type Part = ErasureReport['erased'][number];

function Parts({ title, parts }: { readonly title: string; readonly parts: readonly Part[] }) {
  if (parts.length === 0) return null;
  return (
    <Section title={title}>
      <Table<Part>
        caption={title}
        rows={parts}
        keyOf={({ what }) => what}
        columns={[
          { title: 'What', cell: ({ what }) => what.replaceAll('_', ' ') },
          { title: 'Remaining', align: 'end', cell: ({ count }) => (count === null ? '–' : String(count)) },
          { title: 'In words', cell: ({ text }) => text },
        ]}
      />
    </Section>
  );
}
