import type { Area } from '../area.ts';
import { BookingPage } from './booking.tsx';
import { BookingsPage } from './bookings.tsx';
import { AccountPage } from './overview.tsx';
import { SnippetsPage } from './snippets-page.tsx';
import { StatementPage } from './statement.tsx';

export const ACCOUNT: Area = {
  title: 'Account',
  summary: 'Your API key: its plan, limits and use, its bookings, and what it is charged.',
  pages: [
    { path: '/my/key', title: 'Your key', needs: 'own_key', Component: AccountPage, listed: true },
    { path: '/my/bookings', title: 'Your bookings', needs: 'list_bookings', Component: BookingsPage, listed: true },
    {
      path: '/my/bookings/:id',
      title: 'Your booking',
      needs: 'get_booking',
      Component: BookingPage,
      listed: false,
    },
    { path: '/my/statement', title: 'Statement', needs: 'statement', Component: StatementPage, listed: true },
    { path: '/my/snippets', title: 'First requests', needs: 'own_key', Component: SnippetsPage, listed: true },
  ],
};
