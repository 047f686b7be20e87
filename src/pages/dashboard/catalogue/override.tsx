import type { DataFrom } from '../answers.ts';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Field, TextArea, type Values } from '../components/form.tsx';
import { Section } from '../components/page.tsx';
import { Table } from '../components/table.tsx';
import { When } from '../components/values.tsx';
import { may } from '../session.ts';

const activityOf = (id: string) => api.activities({ activity_id: id });
export type Entry = DataFrom<ReturnType<typeof activityOf>['get']>;
type Body = Parameters<ReturnType<typeof activityOf>['put']>[0];

/** What an operator changed of the catalogue's entry, and the way back. */
export function Override({ entry, changed }: { readonly entry: Entry; readonly changed: (message: string) => void }) {
  const { id, override, currency } = entry;
  return (
    <Section
      title="Changed entry of the catalogue"
      actions={
        <>
          {may('put_activity') && entry.listed && (
            <ActionButton
              label="Change the entry"
              submit="Change the entry"
              send={async (values) => {
                await read(activityOf(id).put(changedEntry(entry, values)));
                changed('The entry is changed. It applies to every later request and booking.');
              }}
            >
              <p>
                The changed entry stays in force instead of the catalogue's until it is taken back. Bookings keep their
                price, and dates with bookings keep capacity and price.
              </p>
              <Field
                label={`Price in ${currency}`}
                name="price"
                type="number"
                step="any"
                value={entry.price}
                required
              />
              <Field label="Capacity a day" name="capacity" type="number" min={1} value={entry.capacity} required />
              <TextArea
                label="Closed dates"
                name="closed_dates"
                value={entry.closed_dates.join('\n')}
                hint="One in each line, as 2026-12-24."
              />
              <TextArea
                label="Pictures"
                name="images"
                value={entry.images.join('\n')}
                hint="Addresses that begin with https://, one in each line."
              />
            </ActionButton>
          )}
          {may('withdraw_activity') && override !== null && (
            <ActionButton
              label="Take the changes back"
              submit="Take back"
              tone="danger"
              send={async () => {
                await read(activityOf(id).delete());
                changed('The changes are taken back.');
              }}
            >
              <p>
                {override.catalogue === null
                  ? 'The catalogue has no entry with this id: the activity is no longer sold.'
                  : "The catalogue's entry applies again."}{' '}
                Bookings keep their date and price.
              </p>
            </ActionButton>
          )}
        </>
      }
    >
      {override === null ? (
        <p class="soft">
          Not changed: the entry is that of the catalogue. Changes of single dates are in the calendar.
        </p>
      ) : (
        <>
          <p>
            Changed by <strong>{override.by}</strong>, <When at={override.since} />.
          </p>
          {override.catalogue === null ? (
            <p>The catalogue has no entry with this id.</p>
          ) : (
            <Table
              caption="What differs from the catalogue"
              shown
              rows={differences(entry, override.catalogue)}
              keyOf={({ field }) => field}
              columns={[
                { title: 'Field', cell: ({ field }) => <code>{field}</code> },
                { title: 'Catalogue', cell: ({ catalogue }) => <code>{catalogue}</code> },
                { title: 'In force', cell: ({ inForce }) => <code>{inForce}</code> },
              ]}
            />
          )}
        </>
      )}
    </Section>
  );
}

type Listed = NonNullable<NonNullable<Entry['override']>['catalogue']>;

function differences(entry: Entry, catalogue: Listed) {
  const inForce: Readonly<Record<string, unknown>> = entry;
  return Object.entries(catalogue)
    .map(([field, value]) => ({ field, catalogue: JSON.stringify(value), inForce: JSON.stringify(inForce[field]) }))
    .filter((row) => row.catalogue !== row.inForce);
}

function changedEntry(entry: Entry, { price, capacity, closed_dates: closed, images }: Values): Body {
  const whole = {
    ...entry,
    price: Number(price),
    capacity: Number(capacity),
    closed_dates: linesOf(closed),
    images: linesOf(images),
  };
  // What GET returns can be sent back; the client's type has mutable lists.
  return whole as unknown as Body;
}

function linesOf(text = ''): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
