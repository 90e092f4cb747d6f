export { type AuditEntry, auditSkills, missingSkills } from './audit.ts';
export { type InstallCandidate, prepareInstall } from './install.ts';
export { removeSkill } from './remove.ts';
export type { GuardFinding } from '../guard/guard-rule.ts';
export type { Verdict } from '../guard/scan-skill.ts';
