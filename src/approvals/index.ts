export {
  type ApprovalGuard,
  type ApprovalGuardOptions,
  type ApprovalMode,
  type Asked,
  createApprovalGuard,
  type Decision,
  type Question,
} from './guard.ts';
export type { Judgement, Reason } from './judge-command.ts';
