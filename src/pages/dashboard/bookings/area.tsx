import type { Area } from '../area.ts';
import { BookingPage } from './booking.tsx';
import { ErasurePage } from './erasure.tsx';
import { BookingsPage } from './list.tsx';

export const BOOKINGS: Area = {
  title: 'Bookings',
  summary: 'Find a booking, see what happened to it, change it, cancel it, or send its voucher again.',
  pages: [
    { path: '/bookings', title: 'Bookings', needs: 'list_all_bookings', Component: BookingsPage, listed: true },
    { path: '/bookings/:id', title: 'Booking', needs: 'get_any_booking', Component: BookingPage, listed: false },
    { path: '/bookings/:id/erasure', title: 'Erasure', needs: 'get_erasure', Component: ErasurePage, listed: false },
  ],
};
