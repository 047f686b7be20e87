import { largeCatalogue } from './large-catalogue.suite.ts';

/** START_KILLS=0 measures an uninterrupted first start; ACTIVITIES changes the size. */
const { ACTIVITIES = '20000', START_KILLS = '5' } = process.env;
/** As in production: a killed node holds its lease for so long. */
const LEASE_TTL_MS = '10000';

largeCatalogue({
  activities: Number(ACTIVITIES),
  kills: Number(START_KILLS),
  settings: { LEASE_TTL_MS },
  progress: (name, figures) => void process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`),
});
