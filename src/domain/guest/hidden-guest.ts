import { MASK } from '../operator/roles.ts';
import type { GuestDetails } from './guest.ts';

/** The guest as a role reads it that does not see the guest. */
export const HIDDEN_GUEST: GuestDetails = {
  name: MASK,
  email: MASK,
  specialRequests: MASK,
  reference: MASK,
  metadata: {},
};
