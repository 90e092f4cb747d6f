import { createApprovalGuard } from '../approvals/index.ts';
import { homePaths } from '../config/index.ts';
import type { Environment, Logger, ProcessTable, ToolSet } from '../contracts/index.ts';
import { builtInTools } from '../toolbox/index.ts';
import { createToolSet } from '../tools/index.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import type { AllowList } from './allow-list.ts';

/** The tools of one agent, in its environment, behind the approvals the person wants. */
export function buildTools(
  options: RuntimeOptions,
  environment: Environment,
  logger: Logger,
  allowList: AllowList,
  processes: ProcessTable,
): ToolSet {
  const { settings } = options;
  return createToolSet({
    tools: builtInTools(),
    environment,
    approvals: createApprovalGuard({
      // Judging by a second model comes later; until then `smart` asks like `manual`, which is the safe side.
      mode: options.yolo || settings.approvals.mode === 'off' ? 'off' : 'manual',
      hermesHome: settings.home,
      allowedRules: settings.commandAllowlist,
      onAlways: allowList.add,
    }),
    logger,
    processes,
    spillFolder: homePaths(settings.home).spillFolder,
  });
}
