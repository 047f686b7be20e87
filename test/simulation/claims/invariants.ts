export type Violation = { invariant: string; detail: string };
