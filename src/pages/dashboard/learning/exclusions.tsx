import { useState } from 'preact/hooks';
import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Field, type Values } from '../components/form.tsx';
import { Badge, Done, Facts, Page, Section } from '../components/page.tsx';
import { type Column, PagedList, Table } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { KeyName } from '../keys/key-name.tsx';
import { may } from '../session.ts';
import { usePages } from '../use-answer.ts';

type Exclusion = DataFrom<Api['learning']['exclude']['get']>['items'][number];
type Changed = Exclusion['activities'][number];

const PAGE = 20;

export function ExclusionsPage() {
  const [said, setSaid] = useState('');
  const pages = usePages<Exclusion>(
    (cursor) => read(api.learning.exclude.get({ query: { limit: PAGE, ...(cursor && { cursor }) } })),
    [],
    // An exclusion is in no read model. The audit has the request for it, a moment before.
    { live: ['audit', 'evidence', 'groundtruth'] },
  );
  const done = (text: string): void => {
    setSaid(text);
    pages.reload();
  };
  return (
    <Page title="Exclusions from learning" actions={may('exclude_from_learning') && <ExcludeButton done={done} />}>
      <p class="soft">
        The ranking learns from verified visits. It has forgotten those below, and learns from no later one that meets
        the same conditions. Reports and bookings are unchanged. No exclusion is taken back.
      </p>
      <Done>{said}</Done>
      <PagedList pages={pages} empty="Nothing is excluded.">
        {pages.items.map((exclusion) => (
          <Shown key={exclusion.exclusion_id} exclusion={exclusion} />
        ))}
      </PagedList>
    </Page>
  );
}

function ExcludeButton({ done }: { readonly done: (text: string) => void }) {
  const exclude = async (
    { key: apiKey, device_id, from, to, reason = '' }: Values,
    idempotencyKey: string,
  ): Promise<void> => {
    const excluded = await read(
      api.learning.exclude.post(
        {
          ...(apiKey && { key: apiKey }),
          ...(device_id && { device_id }),
          ...(from && { from }),
          ...(to && { to }),
          reason,
        },
        { headers: { 'idempotency-key': idempotencyKey } },
      ),
    );
    done(
      excluded.status === 'pending'
        ? 'It is excluded. The visits are being withdrawn.'
        : `It is excluded: ${excluded.visits ?? 0} visits are withdrawn from the ranking.`,
    );
  };
  return (
    <ActionButton
      label="Exclude visits"
      title="Exclude visits from learning"
      submit="Exclude for good"
      tone="danger"
      send={exclude}
    >
      <p>The ranking forgets the visits that meet every condition below, at least one. This cannot be undone.</p>
      <Field label="API key (id)" name="key" placeholder="key_…" hint="Bookings of this key." />
      <Field label="Gate device (id)" name="device_id" placeholder="dev_…" hint="Scans of this device." />
      <Field label="From (UTC)" name="from" type="date" hint="Scans since the beginning of this day." />
      <Field label="To (UTC)" name="to" type="date" hint="Scans until the end of this day." />
      <Field
        label="Reason"
        name="reason"
        required
        maxLength={200}
        hint="It is kept for ever: name no guest. Up to 200 characters."
      />
    </ActionButton>
  );
}

function Shown({ exclusion }: { readonly exclusion: Exclusion }) {
  const { key, device_id, from, to, reason, created_at, status, applied_at, visits, activities } = exclusion;
  return (
    <Section title={reason}>
      <Facts
        of={{
          Status: status === 'applied' ? <Badge tone="good">applied</Badge> : <Badge tone="warn">being applied</Badge>,
          'API key': key === null ? null : <KeyName id={key} />,
          'Gate device': device_id === null ? null : <code>{device_id}</code>,
          'Scans since': from === null ? null : <When at={from} />,
          'Scans before': to === null ? null : <When at={to} />,
          'Visits withdrawn': visits === null ? 'not counted yet' : visits.toLocaleString('en'),
          Excluded: <When at={created_at} />,
          Applied: applied_at === null ? null : <When at={applied_at} />,
        }}
      />
      {activities.length > 0 && (
        <details>
          <summary>What changed for {activities.length} activities</summary>
          <Table
            caption="Ground truth for all travellers, before and after"
            columns={COLUMNS}
            rows={activities}
            keyOf={({ activity_id }) => activity_id}
          />
        </details>
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Changed>[] = [
  { title: 'Activity', cell: ({ activity_id }) => <code>{activity_id}</code> },
  { title: 'Visits withdrawn', align: 'end', cell: ({ visits }) => visits.toLocaleString('en') },
  { title: 'Before', align: 'end', cell: ({ ground_truth_before: before }) => before.toFixed(2) },
  { title: 'After', align: 'end', cell: ({ ground_truth_after: after }) => after.toFixed(2) },
];
