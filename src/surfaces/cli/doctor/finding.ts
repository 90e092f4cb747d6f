/** What a check came to. A warning is worth knowing and stops nothing. */
export type Finding = {
  check: 'home' | 'configuration' | 'credentials' | 'models' | 'servers' | 'plugins' | 'terminal' | 'database';
  status: 'ok' | 'warning' | 'wrong';
  message: string;
  hint?: string;
  /** What `--fix` does about it; only what can do no harm. */
  fix?: Fix;
};

export type Fix = { action: 'make-private' | 'make-folder' | 'rebuild-search-index'; path: string };
