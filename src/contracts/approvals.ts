import type { AgentToolState, Interaction } from './tool.ts';

/** A rule that a command or path falls under, and the part of it that did. */
export type Reason = {
  rule: string;
  matched: string;
  /** What "always" would allow from then on, as it is written down; without it, the rule itself. */
  always?: string;
  /** A second model may say that this match is harmless. */
  reviewable?: boolean;
};
export type Judgement = { verdict: 'allow' | 'ask' | 'block'; reasons: Reason[] };

export type Question = { toolName: string; subject: string; judgement: Judgement };
/** Who is asked, and what they said before. */
export type Asked = {
  interaction: Interaction;
  agent: Pick<AgentToolState, 'approvedRules'> | undefined;
  /** Ends the wait for a second model. */
  signal?: AbortSignal;
} & Partial<AskedFor>;
/** The session and the turn in which something is asked: what a second model costs is counted there. */
export type AskedFor = { sessionId: string; taskId: string };

export type Decision = { allowed: true } | { allowed: false; message: string };

/** A second model's word on a command that asks; anything unclear is for the person. */
export type CommandReview = 'approve' | 'deny' | 'ask';
export type ReviewCommand = (
  subject: string,
  reasons: readonly Reason[],
  signal: AbortSignal,
  askedFor?: Partial<AskedFor>,
) => Promise<CommandReview>;

/** What the person allowed for the rest of a session, in this program. */
export interface SessionApprovals {
  /**
   * The rules allowed in a session, by its **root**: the oldest session that it continues after compression. A split
   * changes the id of a session but not its root, and no other session has the same one.
   */
  rulesOf(rootId: string): Set<string>;
}

/** Stands between a tool and what it is about to do. */
export interface ApprovalGuard {
  /** Only what reads may run: a tool that changes something and asks no other question here must not run. */
  readonly planMode: boolean;
  judgeCommand(command: string, workingDirectory: string): Promise<Judgement>;
  /** `path` is absolute. A tool asks about the path itself and about where its links lead. */
  judgeWrite(path: string, workingDirectory: string): Judgement;
  /** Secrets and devices; `path` is absolute, and asked about in the same two ways. */
  judgeRead(path: string): Judgement;
  /** A tool of others. `reads`: it changes nothing. `asks`: the person wants to hear of it first. */
  judgeTool(tool: { name: string; reads: boolean; asks: boolean }): Judgement;
  /** Asks the person where that is needed. */
  decide(question: Question, asked: Asked): Promise<Decision>;
}
