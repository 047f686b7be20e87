import { Field } from '../components/form.tsx';

/** What the actions need of a device. */
export type ActedOn = {
  readonly device_id: string;
  readonly venue_id: string;
  readonly name: string | null;
  readonly paused: boolean | null;
};

export type Acting = { readonly device: ActedOn; readonly done: (text: string) => void };

export function nameOf({ name, device_id }: ActedOn): string {
  return name ?? device_id;
}

export function Reason({ required = false }: { readonly required?: boolean }) {
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
