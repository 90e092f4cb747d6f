export { createApprovalGuard } from './guard.ts';
