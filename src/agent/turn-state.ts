import {
  addCost,
  addUsage,
  type AuxiliaryUsage,
  type CacheMiss,
  type Cost,
  type Message,
  type ModelErrorKind,
  NO_USAGE,
  type Usage,
} from '../base/index.ts';
import type { Spent, ToolDefinition } from '../contracts/index.ts';
import { type CredentialAttempts, newCredentialAttempts } from './change-credential.ts';

/** The counters of one turn. All state that is reset by a new user message is here. */
export type TurnState = {
  /** Answers received from models, including discarded ones and the grace call. */
  apiCalls: number;
  /** Steps so far; one step may take several model calls. */
  steps: number;
  toolCalls: number;
  budgetLeft: number;
  usage: Usage;
  cost: Cost | undefined;
  /** The share of `usage` and `cost` that auxiliary tasks caused. */
  auxiliary: AuxiliaryUsage | undefined;
  cacheMisses: CacheMiss[];
  contextTokens: number;
  finalText: string;
  lastReasoning: string | undefined;
  error: { message: string; kind?: ModelErrorKind; hint?: string } | undefined;
  warnedLimits: Set<string>;
  /** The tool definitions that are sent in this turn. */
  definitions: readonly ToolDefinition[];

  /** Consecutive batches whose calls all have invalid JSON. */
  invalidBatches: number;
  /** Consecutive rejections of a request as too large. */
  overflows: number;
  /** Recoveries that are allowed once per turn and were used. */
  recoveredOnce: Set<string>;
  nudgedAfterTools: boolean;

  step: StepState;
};

/** State that is reset at each step. */
export type StepState = {
  /** Failed attempts of the same request on the same route. */
  attempts: number;
  /** When the first attempt failed, for the retry budget. */
  failingSince: number | undefined;
  /** Compression was already considered in this step. */
  compressionChecked: boolean;
  /** Messages appended to the requests of this step only, never stored. */
  requestTail: readonly Message[];
  /** An output limit for the requests of this step only. */
  maxOutputTokens: number | undefined;
  /** Text and reasoning of a truncated answer that is being continued. */
  textSoFar: string;
  reasoningSoFar: string;
  continuations: number;
  outputLimitRaised: boolean;
  badArguments: number;
  reasoningPrefills: number;
  emptyRetries: number;
  credentialAttempts: CredentialAttempts;
  /**
   * Set if cache markers were omitted after an error that does not name them: after how many attempts, and whether that
   * did not help.
   */
  markerGuess: { attempts: number; isWrong: boolean } | undefined;
};

export function newTurnState(budget: number): TurnState {
  return {
    apiCalls: 0,
    steps: 0,
    toolCalls: 0,
    budgetLeft: budget,
    usage: NO_USAGE,
    cost: undefined,
    auxiliary: undefined,
    cacheMisses: [],
    contextTokens: 0,
    finalText: '',
    lastReasoning: undefined,
    error: undefined,
    warnedLimits: new Set(),
    definitions: [],
    invalidBatches: 0,
    overflows: 0,
    recoveredOnce: new Set(),
    nudgedAfterTools: false,
    step: newStepState(),
  };
}

export function newStepState(): StepState {
  return {
    attempts: 0,
    failingSince: undefined,
    compressionChecked: false,
    requestTail: [],
    maxOutputTokens: undefined,
    textSoFar: '',
    reasoningSoFar: '',
    continuations: 0,
    outputLimitRaised: false,
    badArguments: 0,
    reasoningPrefills: 0,
    emptyRetries: 0,
    credentialAttempts: newCredentialAttempts(),
    markerGuess: undefined,
  };
}

export function beginStep(state: TurnState): void {
  state.step = newStepState();
  state.steps += 1;
  state.budgetLeft -= 1;
}

/** Resets the step for another route, but keeps the text of a truncated answer that is being continued. */
export function restartStep(state: TurnState): void {
  const { textSoFar, reasoningSoFar, continuations, requestTail } = state.step;
  const kept = textSoFar === '' ? {} : { textSoFar, reasoningSoFar, continuations, requestTail };
  state.step = { ...newStepState(), ...kept };
}

export function countSpending(state: TurnState, usage: Usage, cost: Cost): void {
  state.usage = addUsage(state.usage, usage);
  state.cost = addCost(state.cost, cost);
}

export function countAuxiliary(state: TurnState, { usage, cost, calls = 1 }: Spent & { calls?: number }): void {
  countSpending(state, usage, cost);
  const before = state.auxiliary;
  state.auxiliary = {
    calls: (before?.calls ?? 0) + calls,
    usage: addUsage(before?.usage ?? NO_USAGE, usage),
    cost: addCost(before?.cost, cost),
  };
}
