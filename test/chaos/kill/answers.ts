import type { Service } from './account.ts';
import type { KnownBooking, Ledger } from './ledger.ts';
import { type BookingData, sendPatiently } from './wire.ts';

const AT_ONCE = 16;

/** Reads confirmed bookings from a restarted service: each answer must be equal to the first one. */
export async function auditAnswers(
  service: Service,
  ledger: Ledger,
  asked: readonly KnownBooking[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  const queue = asked.values();
  const ask = async (): Promise<void> => {
    // The clients share one iterator, so each booking is asked for once.
    for (const { data } of queue) {
      const { booking_id: id } = data;
      if (ledger.changing.has(id)) continue;
      const headers = { 'x-api-key': service.apiKey };
      const answer = await sendPatiently<BookingData>(() => `${service.url()}/api/b2a/bookings/${id}`, headers, null);
      if (answer.kind !== 'done') {
        faults.push(`${id} was confirmed, and is now ${answer.kind === 'none' ? 'unanswered' : answer.code}`);
        continue;
      }
      const { status, visit, email_sent, email_sent_at, email_reason } = answer.data;
      // A sent mail stays sent.
      const mail = data.email_sent ? {} : { email_sent, email_sent_at, email_reason };
      const expected = { ...data, ...mail, status: ledger.statusOf(id) ?? status, visit: ledger.visitOf(id, visit) };
      if (!Bun.deepEquals(answer.data, expected))
        faults.push(`${id} was ${JSON.stringify(expected)}, and is now ${JSON.stringify(answer.data)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return faults;
}
