import { useState } from 'preact/hooks';
import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import { Field, instantIn, type Values } from '../components/form.tsx';
import { may } from '../session.ts';

/** What the actions need of a device. */
export type ActedOn = {
  readonly device_id: string;
  readonly venue_id: string;
  readonly name: string | null;
  readonly paused: boolean | null;
};

type Acting = { readonly device: ActedOn; readonly done: (text: string) => void };

/** A request voids at most 500 visits: so many requests void all that a device can have recorded in years. */
const MOST_REQUESTS = 1_000;

function nameOf({ name, device_id }: ActedOn): string {
  return name ?? device_id;
}

function Reason({ required = false }: { readonly required?: boolean }) {
  return (
    <Field
      label="Reason"
      name="reason"
      required={required}
      maxLength={200}
      hint="It is kept for ever: name no guest. Up to 200 characters."
    />
  );
}

/** Pauses or resumes. */
export function PauseButton({ device, done }: Acting) {
  const { device_id, venue_id, paused } = device;
  const named = nameOf(device);
  const send = async ({ reason }: Values): Promise<void> => {
    const of = api.venues({ venue_id }).devices({ device_id });
    const body = reason === undefined ? {} : { reason };
    await read(paused === true ? of.resume.post(body) : of.pause.post(body));
    done(paused === true ? `${named} verifies vouchers again.` : `${named} is paused.`);
  };
  if (paused === true)
    return (
      <ActionButton label="Resume" title={`Resume ${named}`} submit="Resume" send={send}>
        <p>{named} verifies vouchers again, and can report scans that it made offline in the last 48 hours.</p>
        <Reason />
      </ActionButton>
    );
  return (
    <ActionButton label="Pause" title={`Pause ${named}`} submit="Pause" tone="danger" send={send}>
      <p>{named} verifies nothing until it is resumed. Its staff read that it is paused.</p>
      <Reason />
    </ActionButton>
  );
}

export function RemoveButton({ device, done }: Acting) {
  const { device_id, venue_id } = device;
  const remove = async (): Promise<void> => {
    await read(api.venues({ venue_id }).devices({ device_id }).delete());
    done(`${nameOf(device)} is removed.`);
  };
  return (
    <ActionButton
      label="Remove"
      title={`Remove ${nameOf(device)}`}
      submit="Remove for good"
      tone="danger"
      send={remove}
    >
      <p>The device's key is invalid at once and for good. The visits that it recorded stay.</p>
    </ActionButton>
  );
}

/** Takes recorded visits back, in as many requests as it needs. */
export function VoidButton({ device, done }: Acting) {
  const { device_id } = device;
  const [voided, setVoided] = useState(0);
  const send = async ({ from, to, reason = '' }: Values): Promise<void> => {
    let count = 0;
    for (let request = 0; request < MOST_REQUESTS; request++) {
      const answer = await read(
        api.visits.void.post({
          device_id,
          reason,
          ...(from && { from: instantIn(from) }),
          ...(to && { to: instantIn(to) }),
        }),
      );
      count += answer.voided;
      setVoided(count);
      if (answer.complete) break;
    }
    setVoided(0);
    done(`${count.toLocaleString('en')} visits of ${nameOf(device)} are voided.`);
  };
  return (
    <ActionButton
      label="Void visits"
      title={`Void visits of ${nameOf(device)}`}
      submit="Void these visits"
      tone="danger"
      send={send}
    >
      <p>
        The visits that this device scanned in the time below are taken back: rankings, reports and bookings follow. No
        money moves, and the vouchers can be verified again.
      </p>
      <Field label="Scans since (UTC)" name="from" type="datetime-local" hint="Empty: from the first scan." />
      <Field label="Scans before (UTC)" name="to" type="datetime-local" hint="Empty: to the latest scan." />
      <Reason required />
      {voided > 0 && <p role="status">{voided.toLocaleString('en')} visits are voided so far.</p>}
    </ActionButton>
  );
}

/** What may be done about a device at once. A removed device has no name, and can only have its visits voided. */
export function Actions({ device, done }: Acting) {
  const exists = device.name !== null;
  return (
    <span class="actions">
      {exists && may(device.paused === true ? 'resume_device' : 'pause_device') && (
        <PauseButton device={device} done={done} />
      )}
      {may('void_visits') && <VoidButton device={device} done={done} />}
    </span>
  );
}
