import {
  addCost,
  addUsage,
  type AuxiliaryShare,
  type Cost,
  type Message,
  type ModelErrorKind,
  NO_USAGE,
  type Usage,
} from '../base/index.ts';
import type { Spent, ToolDefinition } from '../contracts/index.ts';
import { type CredentialTries, newCredentialTries } from './change-credential.ts';

/** The counters of one turn. Everything that starts anew with a user message is here and nowhere else. */
export type TurnState = {
  /** Answers received from a model, those that were no use and the grace call included. */
  apiCalls: number;
  /** Answers that were wanted so far, however many calls each took. */
  steps: number;
  toolCalls: number;
  budgetLeft: number;
  usage: Usage;
  cost: Cost | undefined;
  /** What of both auxiliary tasks had. */
  auxiliary: AuxiliaryShare | undefined;
  contextTokens: number;
  finalText: string;
  lastReasoning: string | undefined;
  error: { message: string; kind?: ModelErrorKind; hint?: string } | undefined;
  warnedLimits: Set<string>;
  /** What the models of this turn are told about tools. */
  definitions: readonly ToolDefinition[];

  /** Batches in a row without one valid call. */
  invalidBatches: number;
  /** Refusals of a request as too large, in a row. */
  overflows: number;
  /** Kinds of failure that had their one recovery. */
  recoveredOnce: Set<string>;
  nudgedAfterTools: boolean;

  step: StepState;
};

/** What starts anew with each step: one wanted answer, however many tries it takes. */
export type StepState = {
  /** Failed tries of the same request at the same route. */
  tries: number;
  /** It was compressed for this step already. */
  fitted: boolean;
  /** Messages at the end of the request that are only for this step and never stored. */
  requestTail: readonly Message[];
  maxOutputTokens: number | undefined;
  /** Text and thinking of the answers that are being continued. */
  textSoFar: string;
  reasoningSoFar: string;
  continuations: number;
  cutToolCalls: number;
  badArguments: number;
  thinkingPrefills: number;
  emptyRetries: number;
  credentialTries: CredentialTries;
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
    tries: 0,
    fitted: false,
    requestTail: [],
    maxOutputTokens: undefined,
    textSoFar: '',
    reasoningSoFar: '',
    continuations: 0,
    cutToolCalls: 0,
    badArguments: 0,
    thinkingPrefills: 0,
    emptyRetries: 0,
    credentialTries: newCredentialTries(),
  };
}

/** Begins with the next answer that is wanted. */
export function beginStep(state: TurnState): void {
  state.step = newStepState();
  state.steps += 1;
  state.budgetLeft -= 1;
}

/** Another route starts from the beginning, except for text that is already there and only wants its end. */
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
