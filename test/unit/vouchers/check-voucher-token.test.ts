import { afterAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { checkVoucherToken } from '../../../examples/check-voucher-token.ts';
import { publishedKeys } from '../../../src/vouchers/signing-key.ts';
import { readToken, signToken, type VoucherFacts } from '../../../src/vouchers/token.ts';
import { anyFacts, keyNumber, otherKey, published, someFacts, someKey } from './given.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');
const EXAMPLE = 'examples/check-voucher-token.ts';
const keys = publishedKeys([someKey, otherKey]);
const token = signToken(someFacts, someKey);
