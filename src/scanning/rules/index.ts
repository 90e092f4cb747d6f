import type { ScanRule } from '../scan-rule.ts';
import { EXFILTRATION_RULES } from './exfiltration.ts';
import { PERSISTENCE_RULES } from './persistence.ts';
import { FETCHED_INSTRUCTION_RULES } from './fetched-instructions.ts';
import { LANGUAGE_RULES } from './override-languages.ts';
import { OVERRIDE_RULES } from './override.ts';
import { ROLE_RULES } from './role.ts';
import { SECRECY_RULES } from './secrecy.ts';

/** All rules for sentences. */
export const SENTENCE_RULES: readonly ScanRule[] = [
  ...OVERRIDE_RULES,
  ...LANGUAGE_RULES,
  ...ROLE_RULES,
  ...SECRECY_RULES,
  ...EXFILTRATION_RULES,
  ...FETCHED_INSTRUCTION_RULES,
  ...PERSISTENCE_RULES,
];
