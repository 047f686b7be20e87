#!/usr/bin/env bun
import { run } from './cli.ts';

try {
  process.exit(await run(process.argv.slice(2)));
} catch (fault) {
  // What stops a start is told as one message; a stack trace helps only where it is a bug.
  const known = fault instanceof Error && ['BadConfiguration', 'DataDirectoryInUse'].includes(fault.name);
  process.stderr.write(
    `waymark: ${known ? (fault as Error).message : fault instanceof Error ? fault.stack : String(fault)}\n`,
  );
  process.exit(1);
}
