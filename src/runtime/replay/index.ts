export { type Replay, replaySession } from './replay-session.ts';
export type { ReplayStep } from './replay-step.ts';
