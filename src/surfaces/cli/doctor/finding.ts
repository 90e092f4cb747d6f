/** What a check came to. A warning is worth knowing and stops nothing. */
export type Finding = {
  check: 'home' | 'configuration' | 'terminal' | 'database';
  status: 'ok' | 'warning' | 'wrong';
  message: string;
  hint?: string;
};
