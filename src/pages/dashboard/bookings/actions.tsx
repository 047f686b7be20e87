import { useState } from 'preact/hooks';
import { api, read } from '../client.ts';
import { ActionButton, Dialog } from '../components/dialog.tsx';
import { Form, Select } from '../components/form.tsx';
import { money } from '../components/values.tsx';
import { may } from '../session.ts';
import { Cancel } from './cancel.tsx';
import type { Known } from './load.ts';
import { Modify } from './modify.tsx';
import { REASONS } from './words.ts';

type Props = { readonly known: Known; readonly done: (said: string) => void };

/** What the role may do with a booking in its status. */
export function Actions({ known, done }: Props) {
  const { status, guest_erased: erased } = known.booking;
  const open = status === 'pending' || status === 'confirmed';
  return (
    <div class="actions">
      {status === 'pending' && may('confirm_booking') && <Confirm known={known} done={done} />}
      {status === 'pending' && may('reject_booking') && <Reject known={known} done={done} />}
      {open && may('modify_any_booking') && <Modify known={known} done={done} />}
      {status === 'confirmed' && !erased && may('mail_voucher') && <MailVoucher known={known} done={done} />}
      {open && may('cancel_any_booking') && <Cancel known={known} done={done} />}
    </div>
  );
}

export function mayErase({ booking: { status, guest_erased: erased } }: Known): boolean {
  return !erased && status !== 'processing' && may('erase_guest');
}

function Confirm({ known: { booking, etag }, done }: Props) {
  const { pricing, user_email: address } = booking;
  const price = money(pricing.total, pricing.currency);
  return (
    <ActionButton
      label="Confirm"
      title="Confirm the booking"
      submit={`Confirm and charge ${price}`}
      send={async () => {
        await read(
          api.bookings({ booking_id: booking.booking_id }).confirm.post(undefined, { headers: { 'if-match': etag } }),
        );
        done(`The booking is confirmed, and ${price} are charged.`);
      }}
    >
      <p>
        The venue agrees. The key is charged {price}, and the voucher is mailed to {address}.
      </p>
    </ActionButton>
  );
}

const REJECTIONS = [
  { value: 'venue_unavailable', title: 'The venue declines' },
  { value: 'system', title: REASONS.system },
] as const;

function Reject({ known: { booking }, done }: Props) {
  return (
    <ActionButton
      label="Reject"
      title="Reject the booking"
      tone="danger"
      send={async (values) => {
        const reason = REJECTIONS.find(({ value }) => value === values['reason'])?.value ?? 'venue_unavailable';
        await read(api.bookings({ booking_id: booking.booking_id }).reject.post({ reason }));
        done('The booking is rejected. Nothing was charged.');
      }}
    >
      <p>Nothing was charged, so nothing is refunded. The places are free again. It cannot be undone.</p>
      <Select label="Reason" name="reason" choices={REJECTIONS} value="venue_unavailable" />
    </ActionButton>
  );
}

function MailVoucher({ known: { booking }, done }: Props) {
  return (
    <ActionButton
      label="Send the voucher again"
      submit="Send"
      send={async (_, key) => {
        const headers = { 'idempotency-key': key };
        const sent = await read(
          api.bookings({ booking_id: booking.booking_id })['voucher-mail'].post(undefined, { headers }),
        );
        done(outcomeOf(sent));
      }}
    >
      <p>The voucher keeps its code. It is mailed to {booking.user_email}.</p>
      <p class="soft">A booking sends at most 5 mails an hour; an address gets at most 20 a day.</p>
    </ActionButton>
  );
}

function outcomeOf({ email_sent: sent, email_reason: reason }: Pick<Known['booking'], 'email_sent' | 'email_reason'>) {
  if (sent) return 'The voucher was mailed.';
  if (reason === 'MAIL_LIMIT')
    return 'The voucher was not mailed: the limit of mails is reached. Try again in an hour.';
  if (reason === 'TEST_MODE') return 'The voucher was not mailed: the test key has no contact address.';
  return 'The mail waits for the mail server. The timeline shows when it was sent.';
}

/** A plain button: only the dialog, which says what is lost, has the colour of danger. */
export function Erase({ known: { booking }, done }: Props) {
  const [open, setOpen] = useState(false);
  const { booking_id: id } = booking;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Erase the guest
      </button>
      {open && (
        <Dialog title="Erase the guest’s data" close={() => setOpen(false)}>
          <Form
            submit="Erase for ever"
            tone="danger"
            send={async () => {
              await read(api.bookings({ booking_id: id }).erase.post());
              setOpen(false);
              done('The guest’s data is erased.');
            }}
          >
            <p>
              Name, mail address, special requests, reference and metadata are removed. The booking, its voucher and its
              amounts stay. No more mail is sent. <strong>It cannot be undone.</strong>
            </p>
            <p>
              <a href={`/dashboard/bookings/${id}/erasure`}>See first what an erasure reaches</a>
            </p>
          </Form>
        </Dialog>
      )}
    </>
  );
}
