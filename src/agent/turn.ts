import { type AgentEvent, type Clock, HermesError } from '../base/index.ts';
import type { Interaction, Logger } from '../contracts/index.ts';
import type { AgentOptions, RunInput } from './agent-options.ts';
import type { AgentSession } from './agent-session.ts';
import type { RepetitionGuard } from './repetition-guard.ts';
import type { RouteChain } from './route-chain.ts';
import type { Steering } from './steering.ts';
import type { TurnState } from './turn-state.ts';

/** The context of one turn, passed to every function that takes part in it. */
export type Turn = {
  readonly options: AgentOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly session: AgentSession;
  readonly routes: RouteChain;
  readonly state: TurnState;
  readonly repetition: RepetitionGuard;
  readonly steering: Steering;
  readonly interaction: Interaction;
  readonly taskId: string;
  readonly outputSchema: RunInput['outputSchema'];
  readonly startedAt: number;
  /** Milliseconds since the start of the turn. */
  elapsed(): number;
  readonly signal: AbortSignal;
  emit(event: AgentEvent): void;
};

/** The abort reason of a turn's signal. */
export class TurnStopped extends HermesError {
  readonly exitReason: 'interrupted' | 'limit_reached';

  constructor(exitReason: TurnStopped['exitReason'], message: string, hint?: string) {
    super(message, { hint });
    this.exitReason = exitReason;
  }
}

/** The exit reason of an aborted turn. */
export function stopReason(signal: AbortSignal): TurnStopped['exitReason'] {
  return signal.reason instanceof TurnStopped ? signal.reason.exitReason : 'interrupted';
}

/** What is compressed: a running turn, or a session between two turns. */
export type CompressionTarget = Pick<
  Turn,
  'options' | 'clock' | 'logger' | 'session' | 'routes' | 'taskId' | 'signal' | 'emit'
> & {
  readonly state: Pick<TurnState, 'definitions'>;
};
