import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longer than others of their size, as measured. If one of them started last, the run would wait for
 * it alone. Those with a browser are not next to each other, because each of them keeps both cores busy.
 */
export const LONG_FILES = [
  'src/environments/containers/real-engine.test.ts',
  'src/environments/cloud/cloud.test.ts',
  'src/browser/browser.test.ts',
  'test/e2e/postgres.test.ts',
  'test/e2e/batch-queue.test.ts',
  'src/toolbox/execute-code.test.ts',
  'src/browser/browser-failures.test.ts',
  'src/environments/local/conformance.test.ts',
  'test/e2e/fault-matrix.test.ts',
  'src/browser/addresses.test.ts',
  'test/e2e/exits.test.ts',
  'test/e2e/shared-files.test.ts',
  'test/e2e/api-server.test.ts',
  'src/surfaces/gateway/chats/presenter.test.ts',
  'test/e2e/plugins.test.ts',
  'src/environments/containers/conformance.test.ts',
  'src/environments/ssh/conformance.test.ts',
  'test/e2e/browser.test.ts',
  'src/store/postgres/postgres-store.test.ts',
  'test/e2e/mcp.test.ts',
  'src/environments/cloud/modal.test.ts',
  'src/environments/cloud/daytona.test.ts',
  'src/llm/acp/acp-client.test.ts',
  'src/mcp/bad-servers.test.ts',
  'test/e2e/session-heap.test.ts',
  'test/e2e/compile-cache.test.ts',
  'test/e2e/failing-providers.test.ts',
  'test/e2e/long-window.test.ts',
  'test/e2e/batch-working-directories.test.ts',
  'test/e2e/batch-kill.test.ts',
  'test/e2e/kill.test.ts',
  'test/e2e/soak.test.ts',
  'test/terminal/answers.test.ts',
  'src/conversations/remote-turn.test.ts',
  'src/conversations/conversation-races.test.ts',
  'src/toolbox/process.test.ts',
  'src/toolbox/searching/conformance.test.ts',
  'src/environments/ssh/ssh.test.ts',
  'src/store/sqlite/long-work.test.ts',
  'src/store/sqlite/contention.test.ts',
  'src/store/sqlite/migrate.test.ts',
  'src/surfaces/slash/commands/rollback.test.ts',
  'src/worktrees/worktrees.test.ts',
  'src/checkpoints/checkpoints.test.ts',
  'src/checkpoints/isolation.test.ts',
  'src/store/postgres/lost-server.test.ts',
  'test/e2e/telegram-turns.test.ts',
  'test/e2e/gateway-people.test.ts',
  'test/e2e/cron-chat.test.ts',
  'test/e2e/cron.test.ts',
  'src/surfaces/gateway/accounts/account-runner.test.ts',
  'src/surfaces/gateway/liveness.test.ts',
  'src/language-servers/diagnostics.test.ts',
  'test/shape/start-up.test.ts',
  'test/portable/processes.test.ts',
  'test/terminal/early-input.test.ts',
  'test/e2e/slack.test.ts',
  'test/e2e/gateway-delivery.test.ts',
  'test/e2e/gateway-kill.test.ts',
  'test/e2e/remote-turn.test.ts',
  'src/schedules/schedules.test.ts',
  'src/mcp/versions.test.ts',
  'src/toolbox/many-calls.test.ts',
  'src/environments/process-tree.test.ts',
];

/**
 * Runs `LONG_FILES` first; the others are in the usual order, which is by size if the times of an earlier run are
 * unknown.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const locate = ({ moduleId, project }: TestSpecification) => {
      const found = LONG_FILES.indexOf(relative(project.config.root, moduleId));
      return found < 0 ? LONG_FILES.length : found;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => locate(one) - locate(other));
  }
}
