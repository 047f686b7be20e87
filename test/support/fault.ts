/** The error with which a call rejects; a call that resolves fails the test. */
export async function faultOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (fault) {
    return fault;
  }
  throw new Error(`did not reject: ${call.toString()}`);
}
