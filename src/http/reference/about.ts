/** What the reference tells that no declaration does. */
export type About = {
  readonly version: string;
  readonly publicUrl: string;
  /** How long a receiver of webhooks may take. */
  readonly webhookTimeoutMs: number;
};
