/** Settings that the API reference shows. */
export type About = {
  readonly version: string;
  readonly publicUrl: string;
  /** Time limit for the answer of a webhook receiver. */
  readonly webhookTimeoutMs: number;
};
