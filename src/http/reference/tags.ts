/** The chapters of the API reference, in order. */
export const TAGS = {
  Recommendations: 'What to do, ranked for a traveller and a place.',
  Inventory: 'What can be booked, for when, and at which price.',
  Catalogue: 'What is sold, as the operator sees and changes it.',
  Bookings: 'Bookings and their state.',
  Vouchers: 'What a guest shows at the gate. The code in the address is the secret.',
  Gate: 'Scanning vouchers: the ground truth of a visit.',
  Webhooks: 'Events that are posted to a receiver, and their delivery log.',
  Keys: 'API keys: yours, and those that the operator gives out.',
  Analytics: 'What was recommended, booked and visited.',
  Operation: 'Running the service.',
  Tools: 'The same as tools, for agents that speak the Model Context Protocol.',
  Reference: 'How this API describes itself.',
} as const;
export type Tag = keyof typeof TAGS;
