#!/usr/bin/env bun
import { run } from './cli/run.ts';
import { BadConfiguration } from './config.ts';
import { UnknownEvent } from './eventsourcing/codec.ts';
import { OperatorError } from './ports/operator-error.ts';
import { StoreUnavailable } from './ports/store-unavailable.ts';

// Files that this process creates may hold personal data or secrets: only their owner may read them.
process.umask(0o077);

/** Faults of settings, stores or stored events: the message is enough, a stack trace would hide it. */
const WITHOUT_STACK = [OperatorError, BadConfiguration, StoreUnavailable, UnknownEvent];

try {
  process.exit(await run(process.argv.slice(2)));
} catch (fault) {
  process.stderr.write(`waymark: ${textOf(fault)}\n`);
  process.exit(1);
}

/** The operating system's errors (a port in use, a missing folder) have a code, and a message that is enough. */
function textOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const messageOnly = 'code' in fault || WITHOUT_STACK.some((known) => fault instanceof known);
  return messageOnly ? fault.message : (fault.stack ?? fault.message);
}
