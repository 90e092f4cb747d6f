import type { AgentToolState, Interaction } from './tool.ts';

/** A rule that a command or path falls under, and the part of it that did. */
export type Reason = { rule: string; matched: string };
export type Judgement = { verdict: 'allow' | 'ask' | 'block'; reasons: Reason[] };

export type Question = { toolName: string; subject: string; judgement: Judgement };
/** Who is asked, and what they said before. */
export type Asked = { interaction: Interaction; agent: Pick<AgentToolState, 'approvedRules'> | undefined };
export type Decision = { allowed: true } | { allowed: false; message: string };

/** Stands between a tool and what it is about to do. */
export interface ApprovalGuard {
  judgeCommand(command: string, workingDirectory: string): Promise<Judgement>;
  /** `path` is absolute. A tool asks about the path itself and about where its links lead. */
  judgeWrite(path: string, workingDirectory: string): Judgement;
  /** `path` is absolute. Guards what holds credentials, and devices; a guard without it lets everything be read. */
  judgeRead?(path: string): Judgement;
  /** Asks the person where that is needed. */
  decide(question: Question, asked: Asked): Promise<Decision>;
}
