import { expect, test } from 'bun:test';
import { type VoucherKeyEvent, voucherKeyDecider } from '../../../src/domain/voucherkey/voucherkey.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { given } from '../../support/given.ts';

const AT = '2026-11-21T03:00:00.000Z';
const key = (kid: string) => ({ kid, publicKey: `public half of ${kid}`, sealed: `sealed half of ${kid}` });
const create = (kid: string) => ({ type: 'CreateFirstKey', key: key(kid), at: AT }) as const;
const created = (kid: string): VoucherKeyEvent => ({ type: 'VoucherKeyCreated', data: { ...key(kid), at: AT } });

test('the first node on an empty store creates the key', () => {
  given(voucherKeyDecider, [])
    .when(create('KEY00001'))
    .then([created('KEY00001')]);
});

test('a second node that starts at the same time uses the key of the first', () => {
  given(voucherKeyDecider, [created('KEY00001')])
    .when(create('KEY00002'))
    .thenNothing();
});

const reseal = (from: string, sealed: string) =>
  ({ type: 'ResealVoucherKey', kid: 'KEY00001', from, sealed, at: AT }) as const;
const resealed: VoucherKeyEvent = {
  type: 'VoucherKeyResealed',
  data: { kid: 'KEY00001', sealed: 'sealed anew', at: AT },
};

test('a re-sealed key keeps its place and its public half', () => {
  given(voucherKeyDecider, [created('KEY00001'), created('KEY00002')])
    .when(reseal('sealed half of KEY00001', 'sealed anew'))
    .then([resealed]);
  expect(fold(voucherKeyDecider, [created('KEY00001'), created('KEY00002'), resealed])).toStrictEqual({
    keys: [{ ...key('KEY00001'), sealed: 'sealed anew' }, key('KEY00002')],
  });
});

test('a key that was re-sealed meanwhile stays', () => {
  given(voucherKeyDecider, [created('KEY00001'), resealed])
    .when(reseal('sealed half of KEY00001', 'sealed by another node'))
    .thenNothing();
});

test('the ring contains all keys, oldest first', () => {
  expect(fold(voucherKeyDecider, [created('KEY00001'), created('KEY00002')])).toStrictEqual({
    keys: [key('KEY00001'), key('KEY00002')],
  });
});
