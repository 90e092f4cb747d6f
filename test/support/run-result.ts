import { NO_COST, NO_USAGE, type RunResult } from '../../src/base/index.ts';

/** The result of a successful turn, with the changes of a test. */
export const resultWith = (changes: Partial<RunResult>): RunResult => ({
  finalResponse: '',
  lastReasoning: undefined,
  messages: [],
  usage: NO_USAGE,
  cost: NO_COST,
  cacheMisses: [],
  apiCalls: 1,
  toolCalls: 0,
  sessionId: 's',
  taskId: 't',
  model: 'm',
  provider: 'p',
  exitReason: 'completed',
  completed: true,
  partial: false,
  interrupted: false,
  failed: false,
  durationMs: 1,
  ...changes,
});
