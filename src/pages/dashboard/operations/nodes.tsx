import { api, read } from '../client.ts';
import { Empty, Facts, Fault, Page, Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { useAnswer } from '../use-answer.ts';

export function NodesPage() {
  const { answer, fault, reload } = useAnswer(() => read(api.ops.leases.get()), []);
  const { node, roles = [], version } = answer?.this_node ?? {};
  const actions = (
    <button type="button" onClick={reload}>
      Look again
    </button>
  );
  return (
    <Page title="Nodes" actions={actions}>
      <Fault of={fault} retry={reload} />
      {answer !== undefined && (
        <>
          <Section title="The node that answered">
            <Facts of={{ Name: node ?? 'the only node', Roles: roles.join(', '), Version: version }} />
          </Section>
          <Section title="Leases">
            {answer.items.length === 0 ? (
              <Empty>One node does everything: there are no leases.</Empty>
            ) : (
              <Table
                caption="Leases, and the nodes that hold them"
                keyOf={({ name }) => name}
                rows={answer.items}
                columns={[
                  { title: 'Work', cell: ({ name }) => <code>{name}</code> },
                  { title: 'Node', cell: (lease) => <code>{lease.node}</code> },
                  { title: 'Since', cell: ({ since }) => (since === null ? 'not known' : <When at={since} />) },
                  { title: 'Until', cell: ({ until }) => <When at={until} /> },
                ]}
              />
            )}
          </Section>
        </>
      )}
    </Page>
  );
}
