/** One line per happening: a name, and facts that hold no secret and no personal data. */
export interface Log {
  info(happening: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(happening: string, facts?: Readonly<Record<string, unknown>>): void;
  error(happening: string, facts?: Readonly<Record<string, unknown>>): void;
}
