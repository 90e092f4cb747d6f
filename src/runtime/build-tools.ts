import { homePaths } from '../config/index.ts';
import type { Environment, Logger, ToolSet } from '../contracts/index.ts';
import { builtInTools } from '../toolbox/index.ts';
import { createToolSet } from '../tools/index.ts';
import type { RuntimeOptions } from './create-runtime.ts';
import type { AllowList } from './allow-list.ts';
import { buildApprovalGuard } from './approval-guard.ts';

/** The tools of one agent, in its environment, behind the approvals the person wants. */
export function buildTools(
  options: RuntimeOptions,
  environment: Environment,
  logger: Logger,
  allowList: AllowList,
): ToolSet {
  const { settings } = options;
  return createToolSet({
    tools: builtInTools(),
    environment,
    approvals: buildApprovalGuard({ ...options, onAlways: allowList.add }),
    logger,
    spillFolder: homePaths(settings.home).spillFolder,
  });
}
