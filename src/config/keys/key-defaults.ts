import { DEFAULT_ANSWER_SECONDS } from '../../base/index.ts';
import { DEFAULT_CACHING, DEFAULT_CHECKPOINTS, DEFAULT_DISPLAY, DEFAULT_MEMORY } from '../section-settings.ts';
import {
  DEFAULT_BROWSER,
  DEFAULT_CODE,
  DEFAULT_COMPRESSION,
  DEFAULT_DELEGATION,
  DEFAULT_MAX_IDENTICAL_CALLS,
  DEFAULT_MAX_TURNS,
} from '../settings.ts';
import { DEFAULT_SKILLS } from '../skill-settings.ts';
import { DEFAULT_DIAGNOSTICS } from '../language-server-settings.ts';
import { DEFAULT_IMPORT_LIMITS } from '../import-limits.ts';
import { DEFAULT_CRON } from '../gateway/cron-settings.ts';
import { DEFAULT_STORAGE } from '../storage-settings.ts';
import { DEFAULT_CONTAINER, DEFAULT_TERMINAL } from '../terminal-settings.ts';

export type DefaultValue = string | number | boolean | readonly string[];

/** The default value of each key that has one. */
export function keyDefaults(): Readonly<Record<string, DefaultValue>> {
  return {
    'network.background_refresh': true,
    'compression.enabled': DEFAULT_COMPRESSION.enabled,
    'compression.max_tokens': DEFAULT_COMPRESSION.maxTokens,
    'compression.target_ratio': DEFAULT_COMPRESSION.targetRatio,
    'compression.clear_at': DEFAULT_COMPRESSION.clearAt,
    'compression.protect_last_n': DEFAULT_COMPRESSION.protectLastN,
    'compression.protect_first_n': DEFAULT_COMPRESSION.protectFirstN,
    'agent.max_turns': DEFAULT_MAX_TURNS,
    'agent.max_identical_calls': DEFAULT_MAX_IDENTICAL_CALLS,
    'agent.save_trajectories': false,
    'trajectories.redact': false,
    'delegation.max_iterations': DEFAULT_DELEGATION.maxIterations,
    'delegation.max_concurrent_children': DEFAULT_DELEGATION.maxConcurrent,
    'delegation.child_timeout_seconds': 0,
    'code_execution.timeout': DEFAULT_CODE.timeoutSeconds,
    'code_execution.max_tool_calls': DEFAULT_CODE.maxCalls,
    'browser.enabled': DEFAULT_BROWSER.enabled,
    'browser.headed': DEFAULT_BROWSER.headed,
    'browser.allow_private_urls': DEFAULT_BROWSER.allowPrivate,
    'browser.inactivity_timeout': DEFAULT_BROWSER.idleSeconds,
    'browser.command_timeout': DEFAULT_BROWSER.commandSeconds,
    'prompt_caching.mode': DEFAULT_CACHING.cachingMode,
    'prompt_caching.cache_ttl': DEFAULT_CACHING.cacheTtl,
    'display.ignored_settings': DEFAULT_DISPLAY.ignoredSettings,
    context_files: 'first',
    'diagnostics.mode': DEFAULT_DIAGNOSTICS.mode,
    'diagnostics.detect': DEFAULT_DIAGNOSTICS.detect,
    'diagnostics.wait_seconds': DEFAULT_DIAGNOSTICS.waitSeconds,
    'diagnostics.max_lines': DEFAULT_DIAGNOSTICS.maxLines,
    'approvals.mode': 'manual',
    'approvals.timeout': DEFAULT_ANSWER_SECONDS,
    'cron.max_parallel': DEFAULT_CRON.maxParallel,
    'cron.wrap_response': DEFAULT_CRON.wrapResponse,
    'cron.script_timeout_seconds': DEFAULT_CRON.scriptTimeoutSeconds,
    command_allowlist: [],
    'backup.max_import_mb': DEFAULT_IMPORT_LIMITS.megabytes,
    'backup.max_import_ratio': DEFAULT_IMPORT_LIMITS.ratio,
    'backup.max_import_files': DEFAULT_IMPORT_LIMITS.files,
    'storage.pool_size': DEFAULT_STORAGE.poolSize,
    'storage.connect_timeout': DEFAULT_STORAGE.connectSeconds,
    'storage.statement_timeout': DEFAULT_STORAGE.statementSeconds,
    ...memoryDefaults(),
    ...skillDefaults(),
    ...checkpointDefaults(),
    'terminal.backend': DEFAULT_TERMINAL.backend,
    'terminal.env_passthrough': [],
    'terminal.sandbox_network': DEFAULT_TERMINAL.sandboxNetwork,
    'terminal.keep_background': DEFAULT_TERMINAL.keepsBackground,
    ...containerDefaults(),
    'display.plain': DEFAULT_DISPLAY.plain,
    'display.bell': DEFAULT_DISPLAY.bell,
    'display.notifications': DEFAULT_DISPLAY.notifications,
    'display.theme': DEFAULT_DISPLAY.theme,
    'display.show_reasoning': DEFAULT_DISPLAY.showReasoning,
  };
}

function containerDefaults(): Record<string, DefaultValue> {
  return {
    'terminal.docker_image': DEFAULT_CONTAINER.dockerImage,
    'terminal.singularity_image': DEFAULT_CONTAINER.singularityImage,
    'terminal.modal_image': DEFAULT_CONTAINER.modalImage,
    'terminal.daytona_image': DEFAULT_CONTAINER.daytonaImage,
    'terminal.container_network': DEFAULT_CONTAINER.network,
    'terminal.container_persistent': DEFAULT_CONTAINER.persistent,
    'terminal.docker_mount_cwd_to_workspace': DEFAULT_CONTAINER.mountsWorkingDirectory,
    'terminal.docker_volumes': [],
    'terminal.docker_extra_args': [],
  };
}

function memoryDefaults(): Record<string, DefaultValue> {
  return {
    'memory.memory_enabled': true,
    'memory.user_profile_enabled': true,
    'memory.memory_char_limit': DEFAULT_MEMORY.memoryCharacters,
    'memory.user_char_limit': DEFAULT_MEMORY.userCharacters,
    'memory.write_approval': false,
    'memory.nudge_interval': DEFAULT_MEMORY.nudgeInterval,
  };
}

function checkpointDefaults(): Record<string, DefaultValue> {
  return {
    'checkpoints.enabled': DEFAULT_CHECKPOINTS.enabled,
    'checkpoints.max_snapshots': DEFAULT_CHECKPOINTS.maxCheckpoints,
    'checkpoints.max_file_size_mb': DEFAULT_CHECKPOINTS.maxFileMegabytes,
    'checkpoints.max_total_size_mb': DEFAULT_CHECKPOINTS.maxTotalMegabytes,
    'checkpoints.excludes': DEFAULT_CHECKPOINTS.excludes,
  };
}

function skillDefaults(): Record<string, DefaultValue> {
  return {
    'skills.external_dirs': DEFAULT_SKILLS.externalDirs,
    'skills.project_discovery': DEFAULT_SKILLS.projectDiscovery,
    'skills.trusted_project_dirs': DEFAULT_SKILLS.trustedProjectDirs,
    'skills.guard_agent_created': DEFAULT_SKILLS.guardAgentCreated,
    'skills.write_approval': DEFAULT_SKILLS.writeApproval,
    'skills.creation_nudge_interval': DEFAULT_SKILLS.creationNudgeInterval,
    'skills.index_budget': DEFAULT_SKILLS.indexBudget,
    'skills.indexes': DEFAULT_SKILLS.indexes,
    'skills.search_npm': DEFAULT_SKILLS.searchNpm,
  };
}
