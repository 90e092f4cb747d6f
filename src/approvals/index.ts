export { kindOfEntry } from './allow-entries.ts';
export { createApprovalGuard } from './guard.ts';
export { type AskReviewer, createCommandReviewer } from './review-command.ts';
