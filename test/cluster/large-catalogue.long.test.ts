import { largeCatalogue } from './large-catalogue.suite.ts';

/** START_KILLS=0 measures a first start that nothing interrupts; ACTIVITIES changes the size. */
const { ACTIVITIES = '20000', START_KILLS = '5' } = process.env;
/** A node that is killed in the middle holds its lease for so long, as in production. */
const LEASE_TTL_MS = '10000';

largeCatalogue({
  activities: Number(ACTIVITIES),
  kills: Number(START_KILLS),
  settings: { LEASE_TTL_MS },
  progress: (name, figures) => void process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`),
});
