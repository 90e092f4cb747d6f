import type { ConfigFile } from './schema.ts';
import { DEFAULT_CODE, DEFAULT_DELEGATION, type Settings } from './settings.ts';

/** `delegation.*`, `code_execution.*` and `trajectories.*`. */
export function readWorkSettings(values: ConfigFile): Pick<Settings, 'delegation' | 'codeExecution' | 'trajectories'> {
  const { delegation, code_execution: code, trajectories } = values;
  return {
    delegation: {
      maxIterations: delegation?.max_iterations ?? DEFAULT_DELEGATION.maxIterations,
      maxConcurrent: delegation?.max_concurrent_children ?? DEFAULT_DELEGATION.maxConcurrent,
      // Existing files have 0 for no limit.
      timeoutSeconds: delegation?.child_timeout_seconds || undefined,
    },
    codeExecution: {
      timeoutSeconds: code?.timeout ?? DEFAULT_CODE.timeoutSeconds,
      maxCalls: code?.max_tool_calls ?? DEFAULT_CODE.maxCalls,
    },
    trajectories: {
      saves: values.agent?.save_trajectories ?? false,
      file: trajectories?.file,
      systemTemplate: trajectories?.system_template,
      redact: trajectories?.redact ?? false,
    },
  };
}
