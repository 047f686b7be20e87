import { useState } from 'preact/hooks';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Field, FilterForm, Select, type Values } from '../components/form.tsx';
import { Badge, Done, Empty, Fault, Loading, Page, Section } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Secret, When } from '../components/values.tsx';
import { may } from '../session.ts';
import { useAnswer } from '../use-answer.ts';
import { useQuery } from '../use-query.ts';
import { Actions, RemoveButton } from './actions.tsx';
import type { CreatedDevice, Device } from './answers.ts';
import { Qr } from './qr.tsx';

/** The devices of one venue, which the address names. */
export function VenuePage() {
  const [query, change] = useQuery();
  const venue = query['venue_id'] ?? '';
  return (
    <Page title={venue === '' ? 'Devices of a venue' : `Devices of ${venue}`}>
      <FilterForm names={['venue_id']} query={[query, change]} submit="Show">
        <Field label="Venue (id)" name="venue_id" value={venue} required hint="As its activities name it." />
      </FilterForm>
      {venue === '' ? <Empty>Name a venue to see its devices.</Empty> : <Devices key={venue} venue={venue} />}
    </Page>
  );
}

function Devices({ venue }: { readonly venue: string }) {
  const [said, setSaid] = useState('');
  const [created, setCreated] = useState<CreatedDevice | null>(null);
  const { answer, fault, reload } = useAnswer(() => read(api.venues({ venue_id: venue }).devices.get()), [venue], {
    live: ['devices'],
  });
  const done = (text: string): void => {
    setSaid(text);
    reload();
  };
  const create = async ({ name = '', mode }: Values): Promise<void> => {
    const device = await read(
      api.venues({ venue_id: venue }).devices.post({ name, mode: mode === 'test' ? 'test' : 'live' }),
    );
    setCreated(device);
    done(`${device.name} is a device of ${venue}.`);
  };
  return (
    <>
      <Done>{said}</Done>
      {created !== null && <Issued device={created} close={() => setCreated(null)} />}
      <Fault of={fault} retry={reload} />
      <Section title="Devices" actions={may('create_device') && fault === null && <CreateButton send={create} />}>
        {answer === undefined && fault === null && <Loading />}
        {answer?.items.length === 0 && <Empty>This venue has no device.</Empty>}
        {answer !== undefined && answer.items.length > 0 && (
          <Table
            caption={`Gate devices of ${venue}, the oldest first`}
            columns={columnsOf(done)}
            rows={answer.items}
            keyOf={({ device_id }) => device_id}
          />
        )}
      </Section>
    </>
  );
}

function CreateButton({ send }: { readonly send: (values: Values) => Promise<void> }) {
  return (
    <ActionButton label="Create device" title="Create a gate device" submit="Create" send={send}>
      <Field label="Name" name="name" required maxLength={80} hint="Where it stands: Gate B1." />
      <Select
        label="Vouchers"
        name="mode"
        value="live"
        choices={[
          { value: 'live', title: 'live: of guests' },
          { value: 'test', title: 'test: only of test bookings' },
        ]}
      />
      <p class="soft">The link for its phone is shown once, as text and as a QR code.</p>
    </ActionButton>
  );
}

function Issued({ device, close }: { readonly device: CreatedDevice; readonly close: () => void }) {
  const link = `${location.origin}/gate#${device.device_key}`;
  return (
    <Section title={`The link of ${device.name}`}>
      <p>
        Scan this code with the phone that stands at the gate, or open the link there. The phone then stays signed in.
      </p>
      <Qr text={link} title={`The link of ${device.name} as a QR code`} />
      <Secret label="The link." value={link} />
      <p class="soft">A scanner of another maker sends what follows # in the header x-device-key.</p>
      <p>
        <button type="button" onClick={close}>
          The device has it
        </button>
      </p>
    </Section>
  );
}

function columnsOf(done: (text: string) => void): readonly Column<Device>[] {
  return [
    { title: 'Name', cell: ({ name }) => name },
    {
      title: 'Status',
      cell: ({ paused, pause_reason: reason }) =>
        paused ? (
          <>
            <Badge tone="warn">paused</Badge> {reason}
          </>
        ) : (
          <Badge tone="good">active</Badge>
        ),
    },
    { title: 'Vouchers', cell: ({ mode }) => mode },
    { title: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
    {
      title: 'Id',
      cell: ({ device_id }) => <code>{device_id}</code>,
    },
    {
      title: 'Days',
      cell: ({ device_id }) => (
        <a href={`/dashboard/devices/days?days=all&device_id=${encodeURIComponent(device_id)}`}>What it recorded</a>
      ),
    },
    {
      title: 'Actions',
      cell: (device) => (
        <span class="actions">
          <Actions device={device} done={done} />
          {may('delete_device') && <RemoveButton device={device} done={done} />}
        </span>
      ),
    },
  ];
}
