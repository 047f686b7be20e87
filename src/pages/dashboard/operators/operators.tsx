import { useState } from 'preact/hooks';
import { ROLES, type Role } from '../../../domain/operator/roles.ts';
import type { Api, DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Field, Select, type Values } from '../components/form.tsx';
import { Badge, Done, Page } from '../components/page.tsx';
import { type Column, PagedTable } from '../components/table.tsx';
import { Secret, When } from '../components/values.tsx';
import { reconnectLive } from '../live.ts';
import { caller, may, signedIn } from '../session.ts';
import { usePages } from '../use-answer.ts';

type Operator = DataFrom<Api['operators']['get']>['items'][number];
/** What an action has done; `token` only where the service shows one. */
type Result = {
  readonly text: string;
  readonly token: string | null;
  readonly of: string;
  /** The caller's own session has ended. To load something now would open the dialog to sign in, over the new token. */
  readonly over?: boolean;
};

const PAGE = 50;

const DUTIES: Readonly<Record<Role, string>> = {
  admin: 'admin: everything, keys and operators too',
  support: 'support: bookings, holds, venues and the catalogue',
  analyst: 'analyst: reads reports and experiments',
  viewer: 'viewer: reads what support reads, without guests',
};
const ROLE_CHOICES = ROLES.map((role) => ({ value: role, title: DUTIES[role] }));

export function OperatorsPage() {
  const [result, setResult] = useState<Result | null>(null);
  const pages = usePages<Operator>(
    (cursor) => read(api.operators.get({ query: { limit: PAGE, ...(cursor && { cursor }) } })),
    [],
    { live: result?.over === true ? [] : ['operators'] },
  );
  const done = (next: Result): void => {
    setResult(next);
    if (next.over !== true) pages.reload();
  };
  const copied = (): void => {
    setResult(null);
    if (result?.over === true) pages.reload();
  };
  return (
    <Page title="Operators" actions={may('create_operator') && <CreateButton done={done} />}>
      <p class="soft">
        Named operators, newest first. The two tokens of the settings are not listed: end one by setting another.
      </p>
      <Done>{result === null ? null : result.text}</Done>
      {result !== null && result.token !== null && (
        <div>
          <Secret label={`The token of ${result.of}.`} value={result.token} />
          <p>
            <button type="button" onClick={copied}>
              I have copied it
            </button>
          </p>
        </div>
      )}
      <PagedTable
        pages={pages}
        caption="Named operators"
        empty="There is no named operator yet. Create one for each person."
        columns={columnsOf(done)}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}

function CreateButton({ done }: { readonly done: (result: Result) => void }) {
  const create = async ({ name = '', role }: Values): Promise<void> => {
    const { token, ...operator } = await read(api.operators.post({ name, role: role as Role }));
    done({ text: `${operator.name} is an operator with the role ${operator.role}.`, token, of: operator.name });
  };
  return (
    <ActionButton label="Create operator" title="Create an operator" submit="Create" send={create}>
      <Field label="Name" name="name" required maxLength={120} hint="The person and place, for the audit." />
      <Select label="Role" name="role" value="viewer" choices={ROLE_CHOICES} />
      <p class="soft">The token is shown once, after this dialog.</p>
    </ActionButton>
  );
}

type Acting = { readonly operator: Operator; readonly done: (result: Result) => void };

function Change({ operator: { id, name, role }, done }: Acting) {
  const change = async (values: Values): Promise<void> => {
    const changed = await read(
      api.operators({ id }).patch({ name: values['name'] ?? name, role: (values['role'] ?? role) as Role }),
    );
    done({ text: `${changed.name} has the role ${changed.role}.`, token: null, of: changed.name });
  };
  return (
    <ActionButton label="Change" title={`Change ${name}`} submit="Save" send={change}>
      <Field label="Name" name="name" required maxLength={120} value={name} />
      <Select label="Role" name="role" value={role} choices={ROLE_CHOICES} />
      <p class="soft">The new role applies to the next request of this operator.</p>
    </ActionButton>
  );
}

function Rotate({ operator: { id, name }, done }: Acting) {
  const own = isCaller(id);
  const rotate = async (): Promise<void> => {
    const { token } = await read(api.operators({ id }).rotate.post());
    const rotated = { text: `${name} has a new token. The earlier one has ended.`, token, of: name };
    if (!own) return done(rotated);
    done({ ...rotated, text: `${rotated.text} Sign in with it.`, over: true });
    if (await goOnWith(token)) done(rotated);
  };
  return (
    <ActionButton label="Rotate token" title={`Rotate the token of ${name}`} submit="Rotate" send={rotate}>
      <p>
        {name} gets a new token, which is shown once. The present token and its sessions end at once: there is no
        overlap.
      </p>
      {own && <p>It is your own token. This page goes on with the new one; your other sessions end.</p>}
    </ActionButton>
  );
}

function isCaller(id: string): boolean {
  const who = caller();
  return who?.kind === 'operator' && who.id === id;
}

/** @returns whether a session with the token has begun */
async function goOnWith(token: string): Promise<boolean> {
  const { data } = await api.sessions.post({ token });
  if (data === null) return false;
  signedIn(data.data);
  reconnectLive();
  return true;
}

function Revoke({ operator: { id, name }, done }: Acting) {
  const revoke = async (): Promise<void> => {
    await read(api.operators({ id }).revoke.post());
    done({ text: `${name} is revoked.`, token: null, of: name });
  };
  return (
    <ActionButton label="Revoke" title={`Revoke ${name}`} submit="Revoke for good" tone="danger" send={revoke}>
      <p>The token of {name} and its sessions end at once and for good. The list and the audit keep the operator.</p>
      {isCaller(id) && (
        <p>
          <strong>It is your own token: you are signed out at once.</strong>
        </p>
      )}
    </ActionButton>
  );
}

function columnsOf(done: (result: Result) => void): readonly Column<Operator>[] {
  return [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Role', cell: ({ role }) => role },
    {
      title: 'Status',
      cell: ({ active }) => (active ? <Badge tone="good">active</Badge> : <Badge>revoked</Badge>),
    },
    { title: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
    { title: 'Id', cell: ({ id }) => <code>{id}</code> },
    {
      title: 'Actions',
      cell: (operator) =>
        operator.active ? (
          <span class="actions">
            {may('change_operator') && <Change operator={operator} done={done} />}
            {may('rotate_operator') && <Rotate operator={operator} done={done} />}
            {may('revoke_operator') && <Revoke operator={operator} done={done} />}
          </span>
        ) : (
          <span class="soft">none</span>
        ),
    },
  ];
}
