import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Field } from '../components/form.tsx';
import { Badge, Empty, Fault, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';

/** What readers left out, with the decisions on it. */
export function ParkedItems({
  parked,
  done,
}: {
  /** Per reader; the items are loaded again when it changes. */
  readonly parked: readonly number[];
  readonly done: (said: string) => void;
}) {
  const { answer, fault, reload } = useAnswer(() => read(api.ops.readers.parked.get()), parked);
  const decide = (reader: string, item: string, decision: 'retry' | 'skip') => ({
    async send({ reason = '' }: { readonly reason?: string }): Promise<void> {
      await read(api.ops.readers({ reader })[decision].post({ item, reason }));
      done(decision === 'retry' ? `${reader} tries ${item} again.` : `${reader} goes on without ${item}.`);
      reload();
    },
  });
  const items = answer?.items ?? [];
  return (
    <Section title="Parked">
      <Fault of={fault} retry={reload} />
      {answer !== undefined && items.length === 0 && <Empty>No reader has left anything out.</Empty>}
      {items.length > 0 && (
        <Table
          caption="What readers left out"
          keyOf={({ reader, item }) => `${reader} ${item}`}
          rows={items}
          columns={[
            { title: 'Reader', cell: ({ reader }) => <code>{reader}</code> },
            { title: 'Item', cell: ({ event, item }) => (event === null ? item : `${event.type} of ${event.stream}`) },
            { title: 'Fault', cell: ({ fault: why }) => why },
            { title: 'Since', cell: ({ parked_at }) => <When at={parked_at} /> },
            {
              title: 'Status',
              cell: ({ status }) => <Badge tone={status === 'parked' ? 'warn' : 'plain'}>{status}</Badge>,
            },
            {
              title: 'Decision',
              cell: ({ reader, item, status }) =>
                may('retry_parked') && status !== 'retried' ? (
                  <span class="actions">
                    <ActionButton label="Retry" title={`Retry an item of ${reader}`} {...decide(reader, item, 'retry')}>
                      <p>The reader reads it again; a projection is rebuilt for that.</p>
                      <Field label="Reason" name="reason" required maxLength={500} />
                    </ActionButton>
                    {status === 'parked' && (
                      <ActionButton
                        label="Skip"
                        title={`Skip an item of ${reader}`}
                        tone="danger"
                        {...decide(reader, item, 'skip')}
                      >
                        <p>The reader goes on without it, also after a rebuild.</p>
                        <Field label="Reason" name="reason" required maxLength={500} />
                      </ActionButton>
                    )}
                  </span>
                ) : null,
            },
          ]}
        />
      )}
    </Section>
  );
}
