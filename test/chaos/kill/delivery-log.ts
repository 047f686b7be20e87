import type { Service } from './account.ts';
import type { Heard } from './webhook-peer.ts';
import { sendPatiently } from './wire.ts';

const PAGE = 100;

type Shown = {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly event: string;
  readonly booking_id: string;
  readonly url: string | null;
  readonly status: string;
  readonly attempts: readonly { readonly response_code: number | null }[];
  readonly payload: object;
};

type Page = { readonly items: readonly Shown[]; readonly next_cursor: string | null };

/** True when no delivery waits for another attempt. */
export async function nothingRetrying(service: Service): Promise<boolean> {
  const page = await readPage(service, 'status=retrying&limit=1');
  return typeof page !== 'string' && page.items.length === 0;
}

/** Checks that the delivery log shows every delivery that the receiver got, byte by byte. */
export async function auditDeliveryLog(
  service: Service,
  { url, heard }: { readonly url: string; readonly heard: ReadonlyMap<string, Heard> },
): Promise<readonly string[]> {
  const faults: string[] = [];
  const shown = new Set<string>();
  let query: string | null = `limit=${PAGE}`;
  while (query !== null) {
    const page: Page | string = await readPage(service, query);
    if (typeof page === 'string') return [...faults, `the delivery log was answered ${page}`];
    for (const delivery of page.items) {
      shown.add(delivery.delivery_id);
      const received = heard.get(delivery.delivery_id);
      const inLog = {
        eventId: delivery.event_id,
        event: delivery.event,
        bookingId: delivery.booking_id,
        url: delivery.url,
        body: JSON.stringify(delivery.payload),
        status: delivery.status,
        last: delivery.attempts.at(-1)?.response_code,
      };
      const arrived = {
        eventId: received?.eventId,
        event: received?.event,
        bookingId: received?.bookingId,
        url,
        body: received?.body,
        status: 'success',
        last: 200,
      };
      if (!Bun.deepEquals(inLog, arrived))
        faults.push(`the log shows ${JSON.stringify(inLog)}, and ${JSON.stringify(arrived)} arrived`);
    }
    query = page.next_cursor === null ? null : `limit=${PAGE}&cursor=${page.next_cursor}`;
  }
  for (const id of heard.keys()) if (!shown.has(id)) faults.push(`${id} arrived, and is not in the delivery log`);
  return faults;
}

async function readPage(service: Service, query: string): Promise<Page | string> {
  const headers = { 'x-api-key': service.apiKey };
  const answer = await sendPatiently<Page>(() => `${service.url()}/api/webhooks/deliveries?${query}`, headers, null);
  if (answer.kind === 'done') return answer.data;
  return answer.kind === 'refused' ? answer.code : 'not at all';
}
