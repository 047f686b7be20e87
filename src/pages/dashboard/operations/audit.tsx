import { api, read } from '../client.ts';
import { Field, Form } from '../components/form.tsx';
import { Badge, Page } from '../components/page.tsx';
import { PagedTable } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { usePages } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';

const FIELDS = ['operator', 'object', 'operation', 'from', 'to'] as const;

/** Who did or read what, newest first. */
export function AuditPage() {
  const [query, change] = useQuery();
  const sent = Object.fromEntries(FIELDS.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  const load = (cursor: string | undefined) =>
    read(api.ops.audit.get({ query: { ...sent, ...(cursor !== undefined && { cursor }) } }));
  const pages = usePages(load, [sent], { live: ['audit'] });
  return (
    <Page title="Audit">
      <Form
        key={JSON.stringify(sent)}
        submit="Search"
        inline
        send={(values) => change(Object.fromEntries(FIELDS.map((name) => [name, values[name] ?? ''])))}
      >
        <Field label="Person or device" name="operator" value={query['operator'] ?? ''} />
        <Field
          label="Object"
          name="object"
          value={query['object'] ?? ''}
          hint="The id of a booking, key or other object"
        />
        <Field label="Operation" name="operation" value={query['operation'] ?? ''} />
        <Field label="From" name="from" type="date" value={query['from'] ?? ''} />
        <Field label="To" name="to" type="date" value={query['to'] ?? ''} />
      </Form>
      <PagedTable
        pages={pages}
        caption="Acts, and reads of data of guests"
        empty="There is no such entry."
        keyOf={({ audit_id }) => audit_id}
        columns={[
          { title: 'Operation', cell: ({ operation }) => <code>{operation}</code> },
          { title: 'At', cell: ({ at }) => <When at={at} /> },
          { title: 'By', cell: ({ by, role, venue_id }) => `${by} (${role ?? venue_id ?? ''})` },
          { title: 'Objects', cell: ({ objects }) => <code>{objects.join(', ')}</code> },
          { title: 'Outcome', cell: ({ outcome }) => <Outcome of={outcome} /> },
        ]}
      />
    </Page>
  );
}

function Outcome({ of }: { readonly of: { readonly status: number; readonly code: string | null } | null }) {
  if (of === null) return <Badge tone="warn">not known</Badge>;
  return of.code === null ? <Badge tone="good">done</Badge> : <Badge tone="bad">{of.code}</Badge>;
}
