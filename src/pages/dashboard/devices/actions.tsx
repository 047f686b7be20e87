import { api, read } from '../client.ts';
import { ActionButton } from '../components/dialog.tsx';
import type { Values } from '../components/form.tsx';
import { may } from '../session.ts';
import { type Acting, nameOf, Reason } from './acting.tsx';
import type { DeviceDay } from './answers.ts';
import { VoidButton } from './void-visits.tsx';

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

/**
 * What may be done about a device at once. A removed device has no name, and can only have its visits voided: those
 * of `day`, unless another time is chosen.
 */
export function Actions({ device, day = null, done }: Acting & { readonly day?: DeviceDay | null }) {
  const exists = device.name !== null;
  return (
    <span class="actions">
      {exists && may(device.paused === true ? 'resume_device' : 'pause_device') && (
        <PauseButton device={device} done={done} />
      )}
      {may('void_visits') && <VoidButton device={device} day={day} done={done} />}
    </span>
  );
}
