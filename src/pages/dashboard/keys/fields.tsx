import { CURRENCIES } from '../../../domain/activity/money.ts';
import { PERMISSIONS, PLANS } from '../../../domain/apikey/apikey.ts';
import { WEBHOOK_EVENTS } from '../../../domain/delivery/delivery.ts';
import { Boxes, choicesOf, Field, Select, type Values } from '../components/form.tsx';

/** The settings that a new key and a known key have in common. */
export function CommonFields({ texts }: { readonly texts: Values }) {
  return (
    <>
      <Field label="Name" name="name" value={texts['name'] ?? ''} required maxLength={120} />
      <Select label="Plan" name="plan" value={texts['plan'] ?? ''} choices={choicesOf(PLANS)} />
      <Boxes
        legend="Permissions"
        name="permissions"
        choices={choicesOf(PERMISSIONS)}
        checked={listed(texts['permissions'])}
      />
      <Field
        label="Webhook URL"
        name="webhook_url"
        type="url"
        value={texts['webhook_url'] ?? ''}
        hint="Its receiver gets the events below."
      />
      <Boxes
        legend="Webhook events"
        name="webhook_events"
        choices={choicesOf(WEBHOOK_EVENTS)}
        checked={listed(texts['webhook_events'])}
      />
      <Field
        label="Contact address"
        name="contact_email"
        type="email"
        value={texts['contact_email'] ?? ''}
        hint="Gets mails about limits and suspended receivers; of a test key also its vouchers."
      />
      <Field
        label="Expires (UTC)"
        name="expires_at"
        type="datetime-local"
        value={texts['expires_at'] ?? ''}
        hint="Empty: never."
      />
    </>
  );
}

/** The settings that only a known key shows: a new one has those of its plan. */
export function LimitFields({ texts }: { readonly texts: Values }) {
  const amount = { type: 'number', min: 0, step: 'any', hint: 'Empty: no limit.' } as const;
  return (
    <>
      <fieldset>
        <legend>Limits on spending</legend>
        <Field label="Per booking" name="booking_total" value={texts['booking_total'] ?? ''} {...amount} />
        <Field label="Per day (UTC)" name="day_total" value={texts['day_total'] ?? ''} {...amount} />
        <Select
          label="Currency"
          name="currency"
          value={texts['currency'] ?? ''}
          choices={choicesOf(CURRENCIES, 'none')}
        />
      </fieldset>
      <fieldset>
        <legend>Limits on what is not paid for</legend>
        <Field label="Open holds" name="open_holds" value={texts['open_holds'] ?? ''} {...amount} step={1} />
        <Field
          label="Largest unpaid share of a date's places"
          name="unpaid_share"
          value={texts['unpaid_share'] ?? ''}
          {...amount}
          max={1}
          hint="From 0 to 1. Empty: no limit."
        />
        <Field
          label="Refundable guests"
          name="refundable_guests"
          value={texts['refundable_guests'] ?? ''}
          {...amount}
          step={1}
        />
      </fieldset>
      <Field
        label="Allowed addresses"
        name="ip_allowlist"
        value={texts['ip_allowlist'] ?? ''}
        hint="Addresses and ranges with commas between them, only for the plan enterprise. Empty: all."
      />
      <Field
        label="Hotels"
        name="hotel_ids"
        value={texts['hotel_ids'] ?? ''}
        hint="Ids of hotels whose rates the key gets, with commas between them."
      />
      <label class="box">
        <input type="checkbox" name="exploration" value="on" defaultChecked={texts['exploration'] === 'on'} /> Some
        recommendations try less proven activities
      </label>
    </>
  );
}

function listed(text: string | undefined): readonly string[] {
  return text?.split(',') ?? [];
}
