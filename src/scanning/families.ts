import type { FindingCategory } from './finding.ts';

/** The families of attacks that the classifier distinguishes: the names are those of the training texts. */
export const FAMILY_MEANINGS: Readonly<Record<string, { category: FindingCategory; reason: string }>> = {
  instruction_override: { category: 'override', reason: 'tells the model to drop or replace its instructions' },
  role_impersonation: { category: 'role', reason: 'pretends to come from the system, the vendor or the user' },
  tasking: { category: 'remote', reason: 'tells the model to take orders from elsewhere' },
  pre_approved: { category: 'permission', reason: 'claims that actions are approved or checks are disabled' },
  secrecy: { category: 'secrecy', reason: 'asks the model to hide something from the user' },
  forced_telemetry: { category: 'forced', reason: 'demands tracking, reports or dependencies' },
  memory_files: { category: 'lasting', reason: 'wants to be stored in memory, agent files or settings' },
  exfiltration: { category: 'exfiltration', reason: 'asks to send secrets or private data elsewhere' },
  persistence: { category: 'lasting', reason: 'tries to persist on the machine' },
  deception: { category: 'deception', reason: 'asks the model to deceive users or reviewers, or to weaken the code' },
  system_prompt_theft: { category: 'disclosure', reason: 'asks the model to disclose its instructions' },
};

export const FAMILIES = Object.keys(FAMILY_MEANINGS);
