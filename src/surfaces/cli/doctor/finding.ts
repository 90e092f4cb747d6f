/** The result of a check. A warning does not affect the exit code. */
export type Finding = {
  check: 'home' | 'configuration' | 'credentials' | 'models' | 'servers' | 'plugins' | 'terminal' | 'database';
  status: 'ok' | 'warning' | 'wrong';
  message: string;
  hint?: string;
  /** What `--fix` does about the problem; only safe actions. */
  fix?: Fix;
};

export type Fix = { action: 'make-private' | 'make-folder' | 'rebuild-search-index'; path: string };
