import type { Agent } from '../../agent/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Settings } from '../../config/index.ts';
import type { Environment, Logger, ProcessTable, RouteSource, SessionStore } from '../../contracts/index.ts';
import type { AgentEnvironments } from '../agent-environments.ts';
import type { TurnQueue } from '../turn-queue.ts';

/** What makes a subagent different from the agent it works for. */
export type SubagentOptions = {
  parentSessionId: string;
  /** Of the tools of its agent only these. */
  toolsets: readonly string[] | undefined;
  routes: readonly RouteSource[];
};

/** What it has open in a browser is closed with it. */
export type BuiltSubagent = { agent: Agent; closeBrowser(): Promise<void> };

/** What all subagents of a program are run with. */
export type SharedParts = {
  environments: AgentEnvironments;
  store: SessionStore;
  processes: ProcessTable;
  turns: TurnQueue;
  clock: Clock;
  logger: Logger;
};

/** What those of one agent are made from. */
export type OwnParts = {
  settings: Settings;
  /** Those that its agent has now. */
  routes(): readonly RouteSource[];
  build(subagent: SubagentOptions, environment: Environment): BuiltSubagent;
};

export type DelegationParts = SharedParts & OwnParts;
