import { afterAll, beforeAll, expect, test } from 'bun:test';
import { matrixOf } from '../../../../src/vouchers/qr-modules.ts';
import { type Gated, GateTest, START_MS } from './gate.ts';

let gate: GateTest;
let north: Gated;
beforeAll(async () => {
  gate = await GateTest.open();
  north = await gate.device();
}, START_MS);
afterAll(() => gate[Symbol.asyncDispose]());

const GUESTS = 10;

/** A camera whose picture the test draws: `show` takes the modules of a QR code, or null for an empty wall. */
const DRAWN_CAMERA = `
  const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 });
  const picture = canvas.getContext('2d');
  const show = (code) => {
    picture.fillStyle = '#ddd';
    picture.fillRect(0, 0, 640, 480);
    picture.fillStyle = '#222';
    const scale = Math.floor(440 / (code?.size ?? 1));
    code?.dark.forEach((dark, at) => {
      if (dark === 1) picture.fillRect(100 + (at % code.size) * scale, 20 + Math.floor(at / code.size) * scale, scale, scale);
    });
  };
  show(null);
  // A stream sends a frame only when the canvas was drawn on.
  setInterval(() => picture.fillRect(0, 0, 1, 1), 33);
  navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(30);
  globalThis.show = show;
`;

test('given ten guests in a row, then each is admitted with one tap, the next code taking the place of the last guest', async () => {
  const codes = [];
  for (let n = 0; n < GUESTS; n++) {
    const booking = await gate.book({ user_name: `Guest ${n}`, user_email: `guest-${n}@example.com`, num_adults: 1 });
    codes.push({ ...matrixOf(await gate.qrText(booking)), id: booking.booking_id, name: `Guest ${n}` });
  }
  await using phone = await gate.phone();
  await phone.page.addInitScript(DRAWN_CAMERA);
  await phone.page.goto(`${gate.service.url}/gate#${north.device_key}`);
  await phone.page.locator('video').waitFor();
  let taps = 0;
  for (const { size, dark, name } of codes) {
    await phone.page.evaluate(`show(${JSON.stringify({ size, dark: [...dark] })})`);
    await phone.verdict.getByText(name).waitFor();
    await phone.tap('Admit 1 guest');
    taps += 1;
    await phone.page.getByRole('button', { name: 'Next guest' }).waitFor();
  }
  expect(taps).toBe(GUESTS);
  for (const { id } of codes) expect(await gate.present(north, id)).toBe(1);
  expect(phone.complaints).toEqual([]);
});
