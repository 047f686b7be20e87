import { useState } from 'preact/hooks';
import { PERMISSIONS, PLANS } from '../../../domain/apikey/apikey.ts';
import { WEBHOOK_EVENTS } from '../../../domain/delivery/delivery.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { choicesOf, Select, type Values } from '../components/form.tsx';
import { Badge, Page, Section } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { Secret, When } from '../components/values.tsx';
import { may } from '../session.ts';
import { usePages } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';
import { CommonFields } from './fields.tsx';
import { newKey } from './settings.ts';
import type { CreatedKey, ListedKey } from './types.ts';

const NEW: Values = { plan: 'free', permissions: PERMISSIONS.join(), webhook_events: WEBHOOK_EVENTS.join() };
const STATES = [
  { value: '', title: 'all' },
  { value: 'true', title: 'active' },
  { value: 'false', title: 'inactive' },
];

const COLUMNS: readonly Column<ListedKey>[] = [
  { title: 'Name', cell: ({ id, name }) => <a href={`/dashboard/keys/${id}`}>{name}</a> },
  { title: 'Prefix', cell: ({ prefix }) => <code class="number">{prefix}</code> },
  { title: 'State', cell: (key) => <KeyState of={key} /> },
  { title: 'Plan', cell: ({ plan }) => plan },
  { title: 'Permissions', cell: ({ permissions }) => permissions.join(', ') },
  { title: 'Last use', cell: ({ last_used_at }) => <When at={last_used_at} /> },
  {
    title: 'Requests today',
    align: 'end',
    cell: ({ requests_today, usage }) =>
      usage === null
        ? `${requests_today.toLocaleString('en')}, no limit`
        : `${usage.day.used.toLocaleString('en')} of ${usage.day.limit.toLocaleString('en')}`,
  },
];

export function KeyState({ of }: { readonly of: Pick<ListedKey, 'active' | 'mode' | 'expires_at'> }) {
  const expired = of.expires_at !== null && Date.parse(of.expires_at) <= Date.now();
  return (
    <>
      {of.active && !expired ? (
        <Badge tone="good">active</Badge>
      ) : (
        <Badge tone="bad">{expired ? 'expired' : 'inactive'}</Badge>
      )}{' '}
      {of.mode === 'test' && <Badge tone="info">test</Badge>}
    </>
  );
}

export function KeysPage() {
  const [{ active = '', plan = '' }, setQuery] = useQuery();
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const pages = usePages(
    (cursor) =>
      read(
        api.keys.get({
          query: {
            ...(active === '' ? {} : { active: active === 'true' }),
            ...planIn(plan),
            ...(cursor === undefined ? {} : { cursor }),
          },
        }),
      ),
    [active, plan],
    { live: ['keys'] },
  );
  const create = async (values: Values): Promise<void> => {
    setCreated(await read(api.keys.post(newKey(values))));
    pages.reload();
  };
  return (
    <Page title="API keys" actions={may('create_key') && <CreateButton send={create} />}>
      <div role="status">
        {created !== null && (
          <Section
            title={`${created.name} was created`}
            actions={
              <button type="button" onClick={() => setCreated(null)}>
                I have copied both
              </button>
            }
          >
            <Secret label="API key." value={created.key} />
            <Secret label="Webhook secret." value={created.webhook_secret} />
            <p>
              <a href={`/dashboard/keys/${created.id}`}>Limits, addresses and hotels of the key</a>
            </p>
          </Section>
        )}
      </div>
      <div class="inline">
        <Select
          label="State"
          name="active"
          value={active}
          choices={STATES}
          onChange={(value) => setQuery({ active: value })}
        />
        <Select
          label="Plan"
          name="plan"
          value={plan}
          choices={choicesOf(PLANS, 'all')}
          onChange={(value) => setQuery({ plan: value })}
        />
      </div>
      <PagedTable
        pages={pages}
        caption="API keys, newest first"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty="There is no such key."
      />
    </Page>
  );
}

function planIn(text: string) {
  const plan = PLANS.find((each) => each === text);
  return plan === undefined ? {} : { plan };
}

function CreateButton({ send }: { readonly send: (values: Values) => Promise<void> }) {
  return (
    <ActionButton label="Create a key" submit="Create" send={send}>
      <p>The key and its webhook secret are shown once, after this dialog.</p>
      <Select
        label="Mode"
        name="mode"
        value="live"
        choices={[
          { value: 'live', title: 'live: bookings are real and charged' },
          { value: 'test', title: 'test: nothing is real, charged or counted' },
        ]}
        hint="It never changes."
      />
      <CommonFields texts={NEW} />
    </ActionButton>
  );
}
