/** What is run together and counted together. */
export type Suite = {
  /** Folders under `test/`; those that do not exist yet are left out. */
  readonly folders: readonly string[];
  /** Further arguments for `bun test`. */
  readonly options: readonly string[];
  /** What must be there beside Node and npm. */
  readonly needs: string;
};

export const SUITES = {
  /** Everything that `npm test` runs. */
  unit: {
    folders: ['unit', 'http', 'contract', 'compatibility', 'simulation', 'architecture', 'compose'],
    // Only what hangs is to fail by the clock, also on a machine with much else to do.
    options: ['--timeout=30000'],
    needs: 'nothing',
  },
  /** The adapters of servers: against those built or started here, and real ones where MONGODB_URL names one. */
  'contract-engines': { folders: ['engines'], options: ['--timeout=60000'], needs: 'Go' },
  /** The contract suites against every engine: the embedded ones too. */
  contract: { folders: ['contract', 'engines'], options: ['--timeout=60000'], needs: 'Go' },
  /** The Compose file as Compose reads it, and the proxy with nodes behind it. */
  deployment: { folders: ['deployment'], options: ['--timeout=60000'], needs: 'Go and caddy' },
  /** Receivers of webhooks in three languages, and the official libraries that verify them. */
  receivers: { folders: ['receivers'], options: ['--timeout=60000'], needs: 'Go and Python, with venv' },
  browser: { folders: ['browser'], options: ['--timeout=60000'], needs: 'chromium' },
  /** Heavy proofs: exhaustive searches, long simulations. */
  long: { folders: ['long'], options: ['--timeout=1800000'], needs: 'patience' },
} as const satisfies Readonly<Record<string, Suite>>;

export type SuiteName = keyof typeof SUITES;

export function isSuiteName(name: string): name is SuiteName {
  return name in SUITES;
}
