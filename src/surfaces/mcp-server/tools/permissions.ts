import * as z from 'zod/mini';
import { type ApprovalAnswer, type Clock, HermesError } from '../../../base/index.ts';
import type { AnswerOutcome, SessionStore } from '../../../contracts/index.ts';
import { answerQuestion } from '../../../conversations/index.ts';
import { defineServedTool } from '../define-served-tool.ts';
import { describeApproval, listApprovals } from '../event-bridge.ts';
import type { ServedTool } from '../served-parts.ts';

type Parts = { openStore(): Promise<SessionStore>; clock: Clock };

const DECISIONS = {
  'allow-once': 'once',
  'allow-session': 'session',
  'allow-always': 'always',
  deny: 'deny',
} as const satisfies Record<string, ApprovalAnswer>;
const NAMES = ['allow-once', 'allow-session', 'allow-always', 'deny'] as const;

const REFUSALS: Record<Exclude<AnswerOutcome, 'answered'>, string> = {
  not_found: 'Approval not found',
  not_open: 'The approval is no longer open',
  wrong_kind: 'This is not an approval',
  forbidden: 'You may not decide this approval',
};

/** The tools for approvals that turns of any process are waiting for: in chats, terminals and calls of this server. */
export function permissionTools({ openStore, clock }: Parts): ServedTool[] {
  return [
    defineServedTool({
      name: 'permissions_list_open',
      title: 'List open approvals',
      description:
        'List the operations for which Hermes is waiting for approval, in chats, terminals and other programs, the oldest first. Each has the id that permissions_respond needs, the tool, what it would do (subject) and why that needs approval (reasons).',
      parameters: z.object({}),
      readOnly: true,
      async run() {
        const questions = await listApprovals(await openStore(), clock.now());
        const approvals = questions.map((question) => ({
          id: question.id,
          session_key: question.key,
          ...describeApproval(question),
        }));
        return { result: { count: approvals.length, approvals } };
      },
    }),
    defineServedTool({
      name: 'permissions_respond',
      title: 'Decide an approval',
      description:
        'Approve or deny an operation from permissions_list_open. Only decide what your user has told you to decide. The first answer counts, wherever it is given.',
      parameters: z.object({
        id: z.string('a string is required').check(z.describe('The id from permissions_list_open.')),
        decision: z
          .enum(NAMES, `use one of ${NAMES.join(', ')}`)
          .check(
            z.describe(
              'allow-once: this call; allow-session: the same rule for the rest of the session; allow-always: the same rule in all sessions; deny.',
            ),
          ),
      }),
      readOnly: false,
      isOpenWorld: true,
      async run({ id, decision }, { caller }) {
        const store = await openStore();
        const answer = { kind: 'approval', answer: DECISIONS[decision] } as const;
        const outcome = await answerQuestion({ store, clock }, { id, answer, actor: caller.actor });
        if (outcome !== 'answered') throw new HermesError(`${REFUSALS[outcome]}: ${id}.`);
        return { result: { resolved: true, approval_id: id, decision } };
      },
    }),
  ];
}
