import type { Environment } from './environment.ts';
import type { AgentToolState, Interaction } from './tool.ts';

/** The rule that a command or path matched, and the part that matched. */
export type ApprovalReason = {
  rule: string;
  matched: string;
  /** The allow-list entry that "always" would add; the rule itself if absent. */
  always?: string;
  /** The approval reviewer may declare this match harmless. */
  reviewable?: boolean;
  /** No earlier answer, allow-list entry, approval mode or unattended mode covers it. */
  everyTime?: boolean;
};
export type Judgement = { verdict: 'allow' | 'ask' | 'block'; reasons: ApprovalReason[] };

export type ApprovalQuestion = {
  toolName: string;
  subject: string;
  judgement: Judgement;
  /** The operation that a refusal prevents; `run` by default. */
  access?: 'run' | 'write' | 'read';
};
/** Whom to ask, and what was approved before. */
export type ApprovalContext = {
  interaction: Interaction;
  agent: Pick<AgentToolState, 'approvedRules'> | undefined;
  /** Aborts waiting for the approval reviewer. */
  signal?: AbortSignal;
} & Partial<TurnReference>;
/** The session and turn that ask; the cost of the approval reviewer is counted there. */
export type TurnReference = { sessionId: string; taskId: string };

export type Decision = { allowed: true } | { allowed: false; message: string };

/** The decision of the approval reviewer; if in doubt, the user is asked. */
export type CommandReview = 'approve' | 'deny' | 'ask';
export type ReviewCommand = (
  subject: string,
  reasons: readonly ApprovalReason[],
  signal: AbortSignal,
  askedFor?: Partial<TurnReference>,
) => Promise<CommandReview>;

/** What the user approved for the rest of each session, in this process. */
export interface SessionApprovals {
  /**
   * The rules approved in a session, by its **root**: the oldest session that it continues after compression. A split
   * changes the id of a session but not its root.
   */
  rulesOf(rootId: string): Set<string>;
}

/** The part of an environment that the judgement of a command needs. */
export type CommandFiles = Pick<Environment, 'isolated' | 'localFiles' | 'stat' | 'readFile'>;

/** Decides whether a tool may do what it is about to do. */
export interface ApprovalGuard {
  /**
   * Only read-only operations run. A tool that changes something without calling a `judge` method must check this
   * itself.
   */
  readonly planMode: boolean;
  /**
   * `files` are those of the environment that runs the command, from which the scripts that it runs are read; by
   * default those of this machine.
   */
  judgeCommand(command: string, workingDirectory: string, files?: CommandFiles): Promise<Judgement>;
  /** `path` is absolute. Tools check both the path itself and the target of its links. */
  judgeWrite(path: string, workingDirectory: string): Judgement;
  /** For secrets and devices. `path` is absolute; tools check both the path itself and the target of its links. */
  judgeRead(path: string): Judgement;
  /**
   * For external tools, and tools that send what the model wrote to a server of its choice. `reads`: the tool changes
   * nothing. `asks`: the user wants to approve it.
   */
  judgeTool(tool: { name: string; reads: boolean; asks: boolean; sends?: boolean }): Judgement;
  /** Asks the user if necessary. */
  decide(question: ApprovalQuestion, asked: ApprovalContext): Promise<Decision>;
}
