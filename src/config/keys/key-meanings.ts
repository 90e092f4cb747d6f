import { AUXILIARY, type Meanings, MODELS } from './model-meanings.ts';

import { GATEWAY_MEANINGS } from './gateway-meanings.ts';
import { LANGUAGE_SERVER_MEANINGS } from './language-server-meanings.ts';
import { ORIGINAL_MEANINGS } from './original-meanings.ts';

/** By key. `[]` is any list entry, `NAME` any name that the user chooses. Sections are documented too. */
export function keyMeanings(): Meanings {
  return {
    ...MODELS,
    ...AUXILIARY,
    ...CONVERSATION,
    ...SAFETY,
    ...ENVIRONMENTS,
    ...STORED_DATA,
    ...SERVERS,
    ...GATEWAY_MEANINGS,
    ...LANGUAGE_SERVER_MEANINGS,
    ...ORIGINAL_MEANINGS,
  };
}

const CONVERSATION: Meanings = {
  compression: 'How a session is kept within the context window',
  'compression.enabled': 'Whether sessions are compressed automatically. `/compress` always works',
  'compression.threshold':
    'The share of the context window at which compression starts. Default: from 0.85 for small windows to 0.5 for large ones',
  'compression.max_tokens':
    'The size of the conversation at which compression starts at the latest. Ignored if `compression.threshold` is set',
  'compression.target_ratio': 'The share of the threshold that the newest messages may use after compression',
  'compression.clear_at':
    'The share of the threshold from which on old tool results are cleared, in large steps. 1 clears them only at the threshold',
  'compression.protect_last_n': 'The number of newest messages that compression keeps',
  'compression.protect_first_n': 'The number of first messages that compression keeps, including the system prompt',
  context: 'The context engine',
  'context.engine':
    '`compressor` replaces old messages by a summary. `lossless` replaces them by a map through which the model can read them back. A plugin can provide others. Default: `compressor`',
  agent: 'Behaviour of the agent',
  'agent.max_turns': 'The maximum number of steps in a turn',
  'agent.max_identical_calls': 'The number of identical tool calls with the same result after which a turn stops',
  'agent.stream_stale_timeout':
    'Seconds without data after which a streamed response is aborted and retried; three times as long if data arrives, but no part of an answer. Default: 180, or 900 for a local endpoint',
  'agent.gateway_timeout': {
    about:
      'Seconds without any activity after which a turn in a chat is stopped; `0` never stops one. Open questions do not count. Default: 1800',
    variable: 'HERMES_AGENT_TIMEOUT',
  },
  'agent.retry_seconds':
    'Seconds for which a request is retried on the last route while the provider is rate-limited, unavailable or unreachable. `0` disables these retries. Default: 300, or 900 if no user is present',
  'agent.reasoning_effort':
    'How much the model should reason. If the model does not support the level, the nearest one is used. Default: decided by the provider',
  'agent.service_tier':
    'The service tier. `fast` and `priority` request faster answers at a higher price, if the provider offers them',
  'agent.disabled_toolsets': 'Tool sets and tools to disable',
  'agent.personalities.NAME': 'Instructions for the style of answers, selected with `/personality NAME`',
  'agent.save_trajectories':
    'Whether the session is saved as training data at the end of each turn, like `--save-trajectories`',
  trajectories: 'Saving sessions as training data',
  'trajectories.file':
    'One file for all turns. Default: `trajectory_samples.jsonl` in the working directory, and `failed_trajectories.jsonl` for turns that did not complete',
  'trajectories.system_template':
    '`hermes` for the wording of the original Hermes, or a template file for the system turn, in which `{{tools}}`, `{{call_schema}}` and `{{call_example}}` are replaced. Write a file of that name as `./hermes`',
  'trajectories.redact': 'Whether secrets are redacted in saved trajectories',
  delegation: 'Subagents started by `delegate_task`',
  'delegation.max_iterations': 'The maximum number of steps of each subagent',
  'delegation.max_concurrent_children': 'The maximum number of subagents that run in parallel',
  'delegation.child_timeout_seconds': 'Time limit for each subagent in seconds. 0 means no limit',
  code_execution: 'Scripts run by `execute_code`',
  'code_execution.timeout': 'Time limit for a script in seconds',
  'code_execution.max_tool_calls': 'The maximum number of tool calls in a script',
  prompt_caching: 'Prompt caching by the provider',
  'prompt_caching.mode':
    'Whether requests carry cache markers, which Claude needs to cache a prompt. `auto`: if model and endpoint make support likely; a refusal is remembered for the endpoint. `on`: for every model. `off`: never. An entry of `providers` or `custom_providers` can have its own',
  'prompt_caching.cache_ttl':
    'How long a cached prompt is kept after its last use. `1h` costs more to write, but survives longer pauses between messages. `auto`: `5m`, and `1h` after the first pause of a session in which the cache expired',
  toolsets: 'The only tool sets to use. Default: all',
  context_files:
    'Whether the prompt contains only the first kind of context file that exists (`AGENTS.md`, `CLAUDE.md`, …) or all kinds',
  context_file_max_chars:
    'The maximum number of characters of a context file such as `AGENTS.md` in the prompt, together with the files that it imports; longer files are truncated. Default: 20,000',
  tools: 'Tools of plugins and MCP servers',
  'tools.allow_override': 'Built-in tools that a plugin or an MCP server may replace',
  limits: 'Spending and time limits. A warning is shown at 80 %',
  'limits.session_usd': 'The maximum cost of a session in US dollars',
  'limits.day_usd': 'The maximum cost of a day in US dollars, over all sessions',
  'limits.session_tokens': 'The maximum number of tokens of a session',
  'limits.turn_seconds': 'The maximum duration of a turn in seconds',
  display: 'Output and input in the terminal and in chats',
  'display.busy_input_mode':
    'What happens to a line that is typed during a turn. `steer` passes it to the model immediately, `queue` sends it after the turn, `interrupt` ends the turn and sends it. Default: `steer`',
  'display.plain':
    'Whether chats use plain lines instead of a screen, for screen readers and simple terminals, like `--plain`',
  'display.bell': 'Whether the terminal bell rings when a long turn ends or a question is waiting',
  'display.ignored_settings':
    'Whether the start of a chat names settings that have no effect, once for each change of `config.yaml`',
  'display.notifications':
    'How the terminal shows the same as a notification of the desktop: with the escape sequence OSC 9 or OSC 777, not at all, or `auto`, which uses OSC 9 in terminals that are known to support it, unless `display.bell` is `false`',
  'display.theme':
    'The colours of the screen. `auto` detects a dark or light background, `high-contrast` is readable on both, `none` uses no colours. `NO_COLOR` has precedence',
  'display.show_reasoning':
    'Whether the reasoning of the model is shown in full. In the terminal, a key expands and collapses it; in chats, it is shown before the answer',
  'display.personality': 'The personality of new sessions',
  'display.tool_progress':
    'Which tool calls a chat shows in one edited message: none, each time another tool is used, all, or all with their arguments. Default: `all`; `new` on Slack, WhatsApp, Mattermost, Matrix and Feishu; `off` on platforms without edits',
  'display.tool_preview_length':
    'The maximum number of characters that a chat shows of a tool call; 0 for the default of 40',
  'display.interim_assistant_messages':
    'Whether a chat gets the text that the model writes between tool calls. Default: `true`, except on platforms without edits',
  'display.cleanup_progress': 'Whether a chat removes the message about tool calls after the answer. Default: `false`',
  'display.long_running_notifications':
    'Whether a chat sees, from the first minute on, how long a turn has been working. Default: `true`, except on platforms without edits',
  'display.tool_progress_overrides.NAME': 'Older name of `display.platforms.NAME.tool_progress`',
  ...ofPlatform('tool_progress', 'See `display.tool_progress`'),
  ...ofPlatform('tool_preview_length', 'See `display.tool_preview_length`'),
  ...ofPlatform('show_reasoning', 'See `display.show_reasoning`'),
  ...ofPlatform('interim_assistant_messages', 'See `display.interim_assistant_messages`'),
  ...ofPlatform('cleanup_progress', 'See `display.cleanup_progress`'),
  ...ofPlatform('long_running_notifications', 'See `display.long_running_notifications`'),
  ...ofPlatform('streaming', 'Whether chats of the platform show an answer while it is written'),
  streaming: 'Answers in chats, shown while they are written',
  'streaming.enabled': 'Whether chats show an answer while it is written. Default: `false`',
  'streaming.transport':
    '`auto` and `draft` use native drafts where the platform has them, and edits elsewhere; `edit` always uses edits; `off` shows only complete answers. Default: `auto`',
  'streaming.edit_interval': 'Seconds between two updates of the text. Default: 1',
  'streaming.buffer_threshold': 'New characters after which the text is updated earlier. Default: 40',
  'streaming.cursor': 'The mark at the end of an unfinished text. Default: ` ▉`',
};

function ofPlatform(key: string, about: string): Meanings {
  return { [`display.platforms.NAME.${key}`]: about };
}

const SAFETY: Meanings = {
  approvals: 'What needs your approval',
  'approvals.mode':
    '`manual` asks you, `smart` asks a second model first, `off` never asks. Destructive commands such as erasing a disk are always blocked',
  'approvals.timeout': 'Seconds after which an unanswered question counts as denied',
  'approvals.gateway_timeout':
    'The same for questions in chats. The chat then says so, and the turn continues. Default: 300, or 86400 for e-mail',
  'approvals.deny': 'Patterns of commands that are always denied',
  'approvals.cron_mode': 'The automatic answer to approval requests in scheduled jobs. Default: `deny`',
  'approvals.single_query_mode': 'The automatic answer to approval requests for single prompts. Default: `deny`',
  'approvals.batch_mode': 'The automatic answer to approval requests in `hermes batch`. Default: `deny`',
  'approvals.denial_breaker_threshold':
    'Consecutive denials by the same rule after which Hermes tells the model to stop. Default: 3',
  'approvals.plan_mode': 'Whether every chat starts in plan mode, like `--plan`',
  'approvals.workspace':
    'Which writes outside the working directory need approval. `files`: those of file tools. `all`: those of commands too. `off`: none. Default: `files`',
  'approvals.workspace_roots': {
    about: 'Folders besides the working directory that may be written to without approval',
    variable: 'HERMES_WRITE_SAFE_ROOT',
  },
  command_allowlist: 'Commands and rules that you have allowed permanently',
  security: 'Network access of tools',
  'security.allow_private_urls': 'Whether tools may fetch from private network addresses. Default: `false`',
  web: 'Web search and extraction services',
  'web.search_backend':
    'The search service: `exa`, `tavily`, `brave`, `serpapi`, `firecrawl`, `searxng` or `duckduckgo`. Default: the first whose key or URL is set, except `duckduckgo`',
  'web.backend': 'Older name of `web.search_backend`, which takes precedence',
  'web.search_url': 'Another URL of the search service. It may be in your private network',
  'web.extract_backend':
    'The service that extracts text from web pages: `firecrawl`, `tavily` or `exa`. Default: Hermes fetches the pages itself',
  'web.extract_url': 'Another URL of the extraction service. It may be in your private network',
  image_gen: 'The image service',
  'image_gen.provider': '`fal`, `openai`, `xai`, `openrouter` or `deepinfra`. Default: `fal`, if its key is set',
  'image_gen.model': 'The name of the model',
  'image_gen.base_url':
    'Another URL of the service. Without `image_gen.provider`: the URL of an OpenAI-compatible server',
  'image_gen.api_key': 'The API key for `image_gen.base_url`. Keep it in `.env` and write `${VARIABLE}` here',
  tts: 'The speech service',
  'tts.provider':
    '`elevenlabs`, `openai`, `minimax`, `gemini`, `xai`, `mistral` or `deepinfra`. Default: `elevenlabs` or `openai`, if `ELEVENLABS_API_KEY` or `VOICE_TOOLS_OPENAI_KEY` is set',
  ...speechService('elevenlabs'),
  ...speechService('openai'),
  ...speechService('minimax'),
  ...speechService('gemini'),
  ...speechService('xai'),
  ...speechService('mistral'),
  ...speechService('deepinfra'),
  stt: 'The transcription of voice messages in the gateway',
  'stt.enabled': 'Whether voice messages are transcribed. Default: `true`',
  'stt.provider':
    '`openai`, `groq`, `mistral`, `deepinfra`, or `local` for a command. Default: `openai` if `VOICE_TOOLS_OPENAI_KEY` is set, otherwise `local`',
  'stt.language': 'The language of voice messages, such as `en`. Default: the service detects it',
  'stt.local.model': 'The model of the command. Default: `base`',
  'stt.local.language': 'Takes precedence over `stt.language` for the command',
  ...transcriptionService('openai'),
  ...transcriptionService('groq'),
  ...transcriptionService('mistral'),
  ...transcriptionService('deepinfra'),
  browser: 'The browser of the agent',
  'browser.enabled': 'Whether the agent may use a browser',
  'browser.cdp_url': {
    about: 'The debugging URL of a running browser to attach to: `http://127.0.0.1:9222`, `wss://…`',
    variable: 'BROWSER_CDP_URL',
  },
  'browser.executable_path': {
    about: 'The path of the browser program, if it is not an installed Chromium or Chrome',
    variable: 'AGENT_BROWSER_EXECUTABLE_PATH',
  },
  'browser.headed': 'Whether the browser shows a window',
  'browser.sandbox': 'Whether the browser uses its own sandbox. Default: `true`, except for root',
  'browser.allow_private_urls':
    'Whether the browser may open private network addresses, as with `security.allow_private_urls`. Addresses of this machine are always allowed',
  'browser.inactivity_timeout': 'Seconds without use after which the browser is closed',
  'browser.command_timeout': 'Time limit for one browser call in seconds',
};

const ENVIRONMENTS: Meanings = {
  checkpoints: 'Copies of the working directory that `/rollback` restores',
  'checkpoints.enabled':
    'Whether the files of the working directory are stored before a turn changes them, like `--checkpoints`. `auto`: in chats, in directories where that takes less than 50 ms',
  'checkpoints.max_snapshots': 'The maximum number of checkpoints of one directory',
  'checkpoints.max_file_size_mb': 'The maximum size of a file in megabytes. Larger files are not stored',
  'checkpoints.max_total_size_mb':
    'The maximum total size of all checkpoints in megabytes. The least recently used directories are deleted first',
  'checkpoints.excludes': 'Files to exclude, in .gitignore syntax',
  terminal: 'Where commands run',
  'terminal.backend': {
    about: 'The environment for commands: `local`, `sandbox`, `ssh`, `docker`, `singularity`, `modal` or `daytona`',
    variable: 'TERMINAL_ENV',
  },
  'terminal.cwd': {
    about: 'The initial working directory on the remote host or in the container',
    variable: 'TERMINAL_CWD',
  },
  'terminal.env_passthrough': 'Environment variables that are passed to commands although they look like secrets',
  'terminal.sandbox_network': 'Whether commands in the sandbox have network access',
  'terminal.keep_background': 'Whether background processes keep running when Hermes exits',
  'terminal.ssh_host': { about: 'The host name for `ssh`', variable: 'TERMINAL_SSH_HOST' },
  'terminal.ssh_user': { about: 'The user name for `ssh`', variable: 'TERMINAL_SSH_USER' },
  'terminal.ssh_port': { about: 'The port for `ssh`', variable: 'TERMINAL_SSH_PORT' },
  'terminal.ssh_key': { about: 'The private key file for `ssh`', variable: 'TERMINAL_SSH_KEY' },
  'terminal.container_engine':
    'The container engine, by name or path. Default: the first that runs of `docker` and `podman`; for `singularity`: of `apptainer` and `singularity`',
  'terminal.container_cpu': 'The number of CPUs of a container. Default for docker: 1',
  'terminal.container_memory': 'The memory of a container in megabytes. Default for docker: 5120',
  'terminal.container_disk': 'The disk size of a container in megabytes, if docker’s storage driver can limit it',
  'terminal.container_network': 'Whether containers have network access',
  'terminal.container_persistent': 'Whether the files in a container are kept for the next start',
  'terminal.docker_image': { about: 'The image for `docker`', variable: 'TERMINAL_DOCKER_IMAGE' },
  'terminal.docker_volumes':
    'Local folders to mount in containers, as `folder:folder in the container[:ro]`. Commands then need approval',
  'terminal.docker_mount_cwd_to_workspace':
    'Whether the working directory is mounted in containers as `/workspace`. Commands then need approval',
  'terminal.docker_extra_args': 'Additional arguments for creating a container. Commands then need approval',
  'terminal.singularity_image': { about: 'The image for `singularity`', variable: 'TERMINAL_SINGULARITY_IMAGE' },
  'terminal.modal_image': { about: 'The image for `modal`', variable: 'TERMINAL_MODAL_IMAGE' },
  'terminal.daytona_image': { about: 'The image for `daytona`', variable: 'TERMINAL_DAYTONA_IMAGE' },
};

const STORED_DATA: Meanings = {
  backup: 'What `hermes import` accepts at most',
  'backup.max_import_mb': 'The maximum size of all files of a backup in megabytes. See also `hermes import --max-size`',
  'backup.max_import_ratio':
    'How many times its own size a backup may expand to. It applies once 64 MB have been written; backups of Hermes have about 25. See also `hermes import --max-ratio`',
  'backup.max_import_files': 'The maximum number of files and folders in a backup',
  storage: 'The database for sessions, instead of the SQLite file in the home directory',
  'storage.url': {
    about: 'The URL of a PostgreSQL database, `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`. Keep it in `.env`',
    variable: 'HERMES_DATABASE_URL',
  },
  'storage.pool_size': 'The maximum number of database connections of one process',
  'storage.connect_timeout': 'Connection timeout in seconds',
  'storage.statement_timeout': 'Statement timeout in seconds',
  memory: 'Notes that outlive a session',
  'memory.memory_enabled': 'Whether the agent keeps notes in `MEMORY.md`',
  'memory.user_profile_enabled': 'Whether the agent keeps a profile of you in `USER.md`',
  'memory.write_approval': 'Whether you are asked before the agent writes to memory',
  'memory.memory_char_limit': 'The maximum number of characters in `MEMORY.md`',
  'memory.user_char_limit': 'The maximum number of characters in `USER.md`',
  'memory.nudge_interval':
    'The number of your messages after which a review looks for something worth remembering. 0 means never',
  'memory.provider': 'A memory provider in addition to the files: `sessions` or `honcho`',
  'memory.honcho.base_url': {
    about: 'The URL of Honcho. Default: `https://api.honcho.dev`',
    variable: 'HONCHO_BASE_URL',
  },
  'memory.honcho.workspace': 'The Honcho workspace. Default: `hermes`',
  'memory.honcho.user_peer': 'The Honcho peer for you. Default: `user`',
  'memory.honcho.agent_peer': 'The Honcho peer for the agent. Default: `hermes`',
  plugins: 'Plugins, see [plugins](../plugins.md)',
  'plugins.enabled': 'The names of the plugins to load. `hermes plugins enable` adds one',
  'plugins.disabled': 'The names of plugins that are never loaded',
  'plugins.packages':
    'Plugins that are npm packages: names in `plugins/node_modules` of the home directory, or folders',
  'plugins.trusted_project_dirs': 'Projects whose plugins may be enabled',
  'plugins.config.NAME': 'The settings of the plugin with this name',
  hooks:
    'Shell hooks: your own commands that run at defined points of a turn, by hook event, see [plugins](../plugins.md)',
  'hooks.NAME[].command': 'The shell command. It runs only after `hermes hooks allow`',
  'hooks.NAME[].matcher': 'A regular expression for tool names. Default: all tools',
  'hooks.NAME[].timeout': 'Timeout in seconds, at most 300. Default: 60',
  skills: 'Where skills come from and who may change them',
  'skills.external_dirs': 'Additional skill directories',
  'skills.indexes': 'Hub indexes that `hermes skills search` searches, by URL or file',
  'skills.search_npm': 'Whether `hermes skills search` also searches npm',
  'skills.project_discovery': 'Whether to look for skills in the project',
  'skills.trusted_project_dirs': 'Projects whose skills may be used. `hermes skills trust` adds one',
  'skills.guard_agent_created': 'Whether skills written by the agent are scanned like downloaded ones',
  'skills.write_approval': 'Whether you are asked before the agent changes a skill',
  'skills.creation_nudge_interval':
    'Steps with tool calls after which a review looks for something worth saving as a skill. 0 means never',
  'skills.index_budget': 'The maximum number of tokens of the skill index in the prompt',
  'skills.config': 'Settings that skills can read, by key',
};

const SERVERS: Meanings = {
  mcp_servers: 'MCP servers whose tools the agent may use, by name',
  ...server('command', 'The program to start, for a local server'),
  ...server('args', 'The arguments of the program'),
  ...server('env.NAME', 'An environment variable for the program. It inherits only a few harmless variables'),
  ...server('cwd', 'The directory in which the program starts. Default: the working directory'),
  ...server('url', 'The URL, for a remote server'),
  ...server('headers.NAME', 'An HTTP header for every request, such as a key as `${VARIABLE}`'),
  ...server('transport', 'The transport. Default: detected automatically'),
  ...server('auth', '`oauth`: sign in with `hermes mcp login NAME`'),
  ...server('oauth.client_id', 'The OAuth client id, if the server does not register clients'),
  ...server('oauth.client_secret', 'The OAuth client secret. Keep it in `.env` and write `${VARIABLE}` here'),
  ...server('oauth.scope', 'The requested OAuth scopes'),
  ...server(
    'ssl_verify',
    'A file with additional trusted certificate authorities. `false` disables certificate verification',
  ),
  ...server('client_cert', 'The client certificate: a file, or a list of two files, certificate and key'),
  ...server('client_key', 'The key of the client certificate, if it is in a separate file'),
  ...server(
    'client_key_password',
    'The password of the client key, if it is encrypted. Keep it in `.env` and write `${VARIABLE}` here',
  ),
  ...server('enabled', 'Whether the server is used. Default: `true`'),
  ...server('timeout', 'Time limit for a call in seconds. Default: 300'),
  ...server('connect_timeout', 'Connection timeout in seconds. Default: 60'),
  ...server('keepalive_interval', 'Seconds between checks whether a remote server still responds. Default: 180'),
  ...server(
    'idle_timeout_seconds',
    'Seconds without a call after which the connection is closed until the next call. 0 means never',
  ),
  ...server(
    'max_lifetime_seconds',
    'Seconds after which the connection is closed as soon as no call is running. 0 means never',
  ),
  ...server(
    'supports_parallel_tool_calls',
    'Whether calls that change something may run in parallel. Default: `false`',
  ),
  ...server(
    'trust',
    '`full`: no call needs approval. `untrusted`: every call that is not read-only needs approval. Default: calls of tools that declare themselves destructive need approval',
  ),
  ...server('tools.include', 'The only tools to use; `*` matches anything'),
  ...server('tools.exclude', 'Tools to exclude; `*` matches anything'),
  ...server('tools.resources', 'Whether the agent can read the resources of the server. Default: `true`'),
  ...server('tools.prompts', 'Whether the prompts of the server can be used. Default: `true`'),
  ...server('sampling.enabled', 'Whether the server may use an auxiliary model at your cost. Default: `false`'),
  ...server('sampling.max_tokens_cap', 'The maximum number of output tokens of such a request. Default: 4096'),
  ...server('sampling.max_rpm', 'The maximum number of such requests per minute. Default: 10'),
  ...server('sampling.timeout', 'Time limit for such a request in seconds. Default: 30'),
  ...server('elicitation', 'Whether the server may ask you questions. Default: `true`'),
  ...server(
    'roots',
    'The folders that Hermes names to the server as its working area (`roots/list`); `false` for none. Default: folders among its arguments, otherwise the working directory',
  ),
};

function speechService(name: string): Meanings {
  const path = `tts.${name}`;
  return {
    [`${path}.model`]: 'The name of the model',
    [`${path}.model_id`]: 'The same as `model`, as in existing files',
    [`${path}.voice`]: 'The name of the voice',
    [`${path}.voice_id`]: 'The same as `voice`, as in existing files',
    [`${path}.base_url`]: 'Another URL of the service. It may be in your private network',
    [`${path}.api_key`]: 'The API key for `base_url`. Keep it in `.env` and write `${VARIABLE}` here',
  };
}

function transcriptionService(name: string): Meanings {
  const path = `stt.${name}`;
  return {
    [`${path}.model`]: 'The name of the model',
    [`${path}.language`]: 'Takes precedence over `stt.language` for this service',
    [`${path}.base_url`]: 'Another URL of the service. It may be in your private network',
    [`${path}.api_key`]: 'The API key for `base_url`. Keep it in `.env` and write `${VARIABLE}` here',
  };
}

function server(key: string, about: string): Meanings {
  return { [`mcp_servers.NAME.${key}`]: about };
}
