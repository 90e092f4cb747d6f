import type { AgentOptions } from '../../agent/index.ts';
import type { AttachedFile, Clock } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { AuxiliaryRoutes, RouteSource } from '../../contracts/index.ts';
import type { SystemTemplate } from '../../trajectories/index.ts';
import type { Progress } from './running/progress.ts';
import type { Distribution } from './toolsets/distributions.ts';

/** How prompts are run, on this machine or on many. */
export type AgentsOptions = {
  settings: Settings;
  /** The one model of the run. Fallbacks are not used: all lines are of one model. */
  route: RouteSource;
  auxiliaryRoutes?: AuxiliaryRoutes | undefined;
  maxTurns?: number | undefined;
  /** How long a provider may be away before the run is given up. */
  patienceMs: number;
  template?: SystemTemplate | undefined;
  /** Secrets are taken out of the lines. */
  redact?: boolean | undefined;
  readAttachments(paths: readonly string[], folder: string): Promise<readonly AttachedFile[]>;
  verbose?: boolean | undefined;
  clock?: Clock | undefined;
} & Pick<AgentOptions, 'ephemeralSystemPrompt' | 'prefillMessages'>;

export type BatchOptions = AgentsOptions & {
  input: string;
  output: string;
  workers: number;
  /** Goes on with the run in the folder. */
  resume: boolean;
  /** Only the first prompts of the input. */
  limit?: number | undefined;
  distribution: { name: string | undefined; toolsets: Distribution };
  seed?: number | undefined;
  /** Prompts per part. */
  partSize?: number | undefined;
  maxSpendUsd?: number | undefined;
  /** Ends the run when what is under way is done. */
  signal: AbortSignal;
  /** What the person should know before it begins, and while it runs. */
  onNote(text: string): void;
  /** Given what tells how far it is, as soon as it runs. */
  onStarted(progress: () => Progress): void;
};

/** Why a run ended before all was done. */
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
