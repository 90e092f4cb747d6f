import type { Settings } from '../config/index.ts';

/** Settings as they are without any file, with changes. */
export const settingsWith = (changes: Partial<Settings> = {}): Settings => ({
  home: '/home/of/hermes',
  model: {},
  fallbacks: [],
  customProviders: [],
  auxiliary: {},
  maxTurns: 90,
  streamStaleTimeoutSeconds: undefined,
  limits: {},
  approvals: { mode: 'manual', timeoutSeconds: undefined },
  commandAllowlist: [],
  busyInputMode: undefined,
  variables: {},
  warnings: [],
  ...changes,
});
