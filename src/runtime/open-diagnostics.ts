import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { unlessIsolated } from '../approvals/index.ts';
import { DEFAULT_DIAGNOSTICS, type Settings } from '../config/index.ts';
import type { Environment, Hooks, Logger } from '../contracts/index.ts';
import type { Diagnostics } from '../language-servers/index.ts';
import { projectFolders } from '../util/index.ts';
import type { AgentBlueprint } from './agent-blueprint.ts';
import { buildApprovalGuard } from './approval-guard.ts';

/** The language servers of one agent. Nothing is loaded before the first edit, and a server starts when it is needed. */
export type AgentDiagnostics = { hooks: readonly Hooks[]; close(): Promise<void> };

type Parts = { environment: Environment; logger: Logger };

const EDITING_TOOLS: ReadonlySet<string> = new Set(['write_file', 'patch']);
const NONE: AgentDiagnostics = { hooks: [], close: async () => undefined };

/** One-shot runs, batches and other runs without a user have no diagnostics unless `diagnostics.mode` is `all`. */
export function openDiagnostics(blueprint: AgentBlueprint, parts: Parts): AgentDiagnostics {
  const { mode } = blueprint.settings.diagnostics ?? DEFAULT_DIAGNOSTICS;
  if (mode === 'off' || (mode === 'chat' && !blueprint.attended)) return NONE;
  let opened: Promise<Diagnostics> | undefined;
  const succeeded = new Set<string>();
  return {
    hooks: [
      {
        name: 'diagnostics',
        async postToolCall({ toolName, callId }, { status }) {
          if (status === 'ok' && EDITING_TOOLS.has(toolName)) succeeded.add(callId);
        },
        async transformToolResult(call, content) {
          if (!succeeded.delete(call.callId)) return undefined;
          opened ??= create(blueprint, parts);
          const text = await (await opened).describeEdit(call);
          return text === undefined ? undefined : `${content}\n\n${text}`;
        },
      },
    ],
    close: async () => (await opened)?.close(),
  };
}

async function create(blueprint: AgentBlueprint, { environment, logger }: Parts): Promise<Diagnostics> {
  const { createDiagnostics } = await import('../language-servers/index.ts');
  const { settings, attended } = blueprint;
  const guard = buildApprovalGuard(blueprint);
  const isConfined = environment.isolated || environment.sandbox !== undefined;
  return createDiagnostics({
    environment,
    settings: settings.diagnostics ?? DEFAULT_DIAGNOSTICS,
    servers: settings.languageServers ?? {},
    projectRoot: projectRoot(environment),
    mayRunProjectCode: isConfined || (attended && isTrusted(settings, environment)),
    async mayRun(commandLine, directory) {
      const judgement = await guard.judgeCommand(commandLine, directory, environment);
      return unlessIsolated(judgement, environment).verdict === 'allow';
    },
    logger,
  });
}

function projectRoot({ localFiles, workingDirectory }: Environment): string {
  return (localFiles && projectFolders(workingDirectory).at(-1)) || workingDirectory;
}

/** Whether the user trusts the skills or plugins of the project. */
function isTrusted({ skills, plugins }: Settings, { localFiles, workingDirectory }: Environment): boolean {
  if (!localFiles) return false;
  const dirs = [...skills.trustedProjectDirs, ...(plugins?.trustedProjectDirs ?? [])];
  // Real paths are compared, so that a symbolic link cannot redirect a trusted path to another folder.
  const trusted = new Set(dirs.map((folder) => realPath(resolve(folder.replace(/^~(?=\/|$)/, homedir())))));
  return trusted.size > 0 && projectFolders(workingDirectory).some((folder) => trusted.has(realPath(folder)));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
