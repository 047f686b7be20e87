/** A fault that the operator can correct, not a bug: its message says all that is needed, and no stack trace is printed. */
export class OperatorError extends Error {}
