/** What looking at a route came to. */
export type Diagnosis = {
  /** Which route, as a person would say it: `the model`, `fallback 1`, `auxiliary.vision`. */
  what: string;
  status: 'ok' | 'warning' | 'wrong';
  message: string;
  hint?: string;
};

export type Verdict = Omit<Diagnosis, 'what'>;
