import type { Area } from '../area.ts';
import { DeliveriesPage } from './deliveries.tsx';
import { DeliveryPage } from './delivery.tsx';
import { ReceiversPage } from './receivers.tsx';
import { VerifyPage } from './verify.tsx';

export const WEBHOOKS: Area = {
  title: 'Webhooks',
  summary: 'What was sent, what the receiver answered, and how to send it again.',
  pages: [
    {
      path: '/webhooks/deliveries',
      title: 'Deliveries',
      needs: 'list_deliveries',
      Component: DeliveriesPage,
      listed: true,
    },
    {
      path: '/webhooks/deliveries/:id',
      title: 'Delivery',
      needs: 'get_delivery',
      Component: DeliveryPage,
      listed: false,
    },
    {
      path: '/webhooks/receivers',
      title: 'Receivers',
      needs: 'list_receivers',
      Component: ReceiversPage,
      listed: true,
    },
    {
      path: '/webhooks/verify',
      title: 'Verify signatures',
      needs: 'list_deliveries',
      Component: VerifyPage,
      listed: true,
    },
  ],
};
