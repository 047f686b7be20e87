#!/usr/bin/env bun
import { run } from './cli.ts';

// Whatever this process writes may hold personal data or secrets: it is its owner's alone.
process.umask(0o077);

/** Faults of the settings, not of the program: their message says it all. */
const TOLD = [
  'BadConfiguration',
  'BadCertificate',
  'BadSupply',
  'BadDealPolicy',
  'DataDirectoryInUse',
  'DatabaseNotMigrated',
  'DatabaseUnreachable',
  'MigrationBrokenOff',
  'SealBroken',
  'StoreRefused',
  'UnknownEvent',
];

try {
  process.exit(await run(process.argv.slice(2)));
} catch (fault) {
  const message = fault instanceof Error ? fault.message : String(fault);
  // What the operating system refuses (a port in use, a folder that is not there) is told by its message too.
  const told = fault instanceof Error && (TOLD.includes(fault.name) || 'code' in fault);
  process.stderr.write(`waymark: ${told ? message : fault instanceof Error ? fault.stack : message}\n`);
  process.exit(1);
}
