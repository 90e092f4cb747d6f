import type { ScanRule } from '../scan-rule.ts';
import { EXFILTRATION_RULES } from './exfiltration.ts';
import { PERSISTENCE_RULES } from './persistence.ts';
import { FETCHED_INSTRUCTION_RULES } from './fetched-instructions.ts';
import { LANGUAGE_RULES } from './override-languages.ts';
import { OVERRIDE_RULES } from './override.ts';
import { PERMISSION_RULES } from './permission.ts';
import { ROLE_RULES } from './role.ts';
import { SECRECY_RULES } from './secrecy.ts';
import { TASKING_RULES } from './tasking.ts';
import { DECEPTION_RULES } from './deception.ts';
import { FORCED_RULES } from './forced.ts';
import { AGENT_FILE_RULES } from './agent-files.ts';
import { SECRET_COMMAND_RULES } from './secret-commands.ts';
import { SENDING_RULES } from './sending.ts';
import { AUTHORITY_RULES } from './authority.ts';
import { OTHER_LANGUAGE_RULES } from './other-languages.ts';
import { IMPERATIVE_RULES } from './imperatives.ts';
import { BOTNET_RULES } from './botnet.ts';
import { SECRECY_WORDING_RULES } from './wording-secrecy.ts';
import { PERMISSION_WORDING_RULES } from './wording-permission.ts';
import { REMOTE_WORDING_RULES } from './wording-remote.ts';
import { FORCED_WORDING_RULES } from './wording-forced.ts';
import { LASTING_WORDING_RULES } from './wording-lasting.ts';
import { EXFILTRATION_WORDING_RULES } from './wording-exfiltration.ts';
import { OVERRIDE_WORDING_RULES } from './wording-override.ts';

/** All rules for sentences. */
export const SENTENCE_RULES: readonly ScanRule[] = [
  ...OVERRIDE_RULES,
  ...LANGUAGE_RULES,
  ...ROLE_RULES,
  ...SECRECY_RULES,
  ...EXFILTRATION_RULES,
  ...FETCHED_INSTRUCTION_RULES,
  ...PERSISTENCE_RULES,
  ...PERMISSION_RULES,
  ...REMOTE_WORDING_RULES,
  ...FORCED_WORDING_RULES,
  ...LASTING_WORDING_RULES,
  ...EXFILTRATION_WORDING_RULES,
  ...OVERRIDE_WORDING_RULES,
  ...SECRECY_WORDING_RULES,
  ...PERMISSION_WORDING_RULES,
  ...BOTNET_RULES,
  ...IMPERATIVE_RULES,
  ...OTHER_LANGUAGE_RULES,
  ...SENDING_RULES,
  ...AUTHORITY_RULES,
  ...SECRET_COMMAND_RULES,
  ...DECEPTION_RULES,
  ...FORCED_RULES,
  ...AGENT_FILE_RULES,
  ...TASKING_RULES,
];
