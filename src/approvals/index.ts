export { kindOfEntry } from './allow-entries.ts';
export { type ApprovalGuardOptions, createApprovalGuard } from './guard.ts';
export { createCommandReviewer } from './review-command.ts';
