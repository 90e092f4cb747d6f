import type { AgentOptions } from '../../agent/index.ts';
import type { AttachedFile, Clock } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { AuxiliaryRoutes, RouteSource } from '../../contracts/index.ts';
import type { SystemTemplate } from '../../trajectories/index.ts';
import type { Progress } from './running/progress.ts';
import type { Distribution } from './toolsets/distributions.ts';

/** Options for running batch prompts, on one machine or several. */
export type AgentsOptions = {
  settings: Settings;
  /** The only model of the run. There are no fallbacks, so that all samples come from one model. */
  route: RouteSource;
  auxiliaryRoutes?: AuxiliaryRoutes | undefined;
  maxTurns?: number | undefined;
  /** How long a provider may be unavailable before the run is aborted. */
  maxWaitMs: number;
  template?: SystemTemplate | undefined;
  /** Redacts secrets in the samples. */
  redact?: boolean | undefined;
  readAttachments(paths: readonly string[], folder: string): Promise<readonly AttachedFile[]>;
  verbose?: boolean | undefined;
  clock?: Clock | undefined;
} & Pick<AgentOptions, 'ephemeralSystemPrompt' | 'prefillMessages'>;

export type BatchOptions = AgentsOptions & {
  input: string;
  output: string;
  workers: number;
  /** Resumes the run in the output folder. */
  resume: boolean;
  /** Runs only the first prompts of the input. */
  limit?: number | undefined;
  distribution: { name: string | undefined; toolsets: Distribution };
  seed?: number | undefined;
  /** Prompts per part file. */
  partSize?: number | undefined;
  maxSpendUsd?: number | undefined;
  /** Aborting it stops the run after the running prompts. */
  signal: AbortSignal;
  /** Aborting it interrupts the running prompts too. They are stored as interrupted and run again on resume. */
  interrupt?: AbortSignal | undefined;
  /** Called with messages for the user before and during the run. */
  onNote(text: string): void;
  /** Called once with a function that returns the progress. */
  onStarted(progress: () => Progress): void;
};

/** Why a run stopped early. */
export type BatchStop = {
  reason: 'signal' | 'spending' | 'failures' | 'disk';
  message: string;
  hint?: string | undefined;
};

export type BatchReport = {
  folder: string;
  prompts: number;
  kept: number;
  dropped: number;
  failed: number;
  left: number;
  usd: number;
  costKnown: boolean;
  seconds: number;
  statistics: object;
  stop: BatchStop | undefined;
};
