/** One line per event: a message, and facts without secrets and personal data. */
export interface Log {
  info(happening: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(happening: string, facts?: Readonly<Record<string, unknown>>): void;
  error(happening: string, facts?: Readonly<Record<string, unknown>>): void;
}
