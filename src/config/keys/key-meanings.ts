/** What a key is for, in one sentence without a full stop, and the variable that counts where the file is silent. */
export type KeyMeaning = { about: string; variable?: string };

type Meanings = Readonly<Record<string, string | KeyMeaning>>;

/** By key. `[]` is any entry of a list, `NAME` whatever a person calls something. Sections have a line of their own. */
export function keyMeanings(): Meanings {
  return { ...MODELS, ...AUXILIARY, ...CONVERSATION, ...SAFETY, ...PLACES, ...KEPT, ...SERVERS };
}

const MODELS: Meanings = {
  model: 'Which model answers. A name alone is short for `model.default`',
  ...endpoint('model.'),
  'model.provider': {
    about: 'Who offers it: a provider, or a name of `custom_providers`',
    variable: 'HERMES_INFERENCE_PROVIDER',
  },
  'model.default': { about: 'Its name', variable: 'HERMES_INFERENCE_MODEL' },
  'model.model': 'The old name of `model.default`',
  'model.base_url': {
    about: 'The address of the endpoint, where it is not that of the provider',
    variable: 'OPENAI_BASE_URL',
  },
  fallback_model:
    'One model that takes over where the first one fails: the short form of `fallback_providers`, and asked before them',
  ...choice('fallback_model.'),
  fallback_providers: 'Models that take over where the one before fails, in this order',
  ...choice('fallback_providers[].'),
  custom_providers: 'Endpoints of your own, chosen by their names',
  'custom_providers[].name': 'What `--provider` calls it',
  'custom_providers[].model': 'Its usual model',
  'custom_providers[].key_env': 'The variable that holds the key',
  ...endpoint('custom_providers[].'),
  ...facts('custom_providers[].models.NAME.'),
  model_overrides: 'What you know better than the catalogue, by `MODEL` or `PROVIDER/MODEL`',
  ...facts('model_overrides.NAME.'),
  models_dev: 'The public catalogue of models',
  'models_dev.url': 'Another place to fetch it from',
  model_catalog: 'The same switch as `network.background_refresh`, as older files have it',
  'model_catalog.enabled': 'Whether the catalogue is refreshed',
  network: 'What goes over the network unasked',
  'network.background_refresh': 'Whether anything may be fetched that nobody asked for',
  credential_pool_strategies: 'Which of several keys or logins is taken, by provider',
  'credential_pool_strategies.NAME': 'The first that is ready, each in turn, the least used, or any',
  auth: 'What you know better about the login of a provider, by provider',
  'auth.NAME.client_id': 'The client that asks',
  'auth.NAME.scope': 'What it asks for',
  'auth.NAME.device_url': 'Where a device code is asked for',
  'auth.NAME.authorize_url': 'Where the browser is sent',
  'auth.NAME.token_url': 'Where tokens are fetched and renewed',
  'auth.NAME.redirect_uri': 'Where the browser comes back to; elsewhere than on this machine you paste the code',
  'auth.NAME.exchange_url': 'Where a login is exchanged for a key',
};

const AUXILIARY: Meanings = {
  auxiliary: 'Models for tasks beside the chat',
  ...choice('auxiliary.TASK.'),
  'auxiliary.TASK.provider': '`auto` is a cheap model of the provider of the chat, `main` the very model of the chat',
  'auxiliary.TASK.timeout': 'Seconds after which the next model is asked',
  ...choice('auxiliary.TASK.fallback[].'),
  'auxiliary.TASK.enabled': 'Whether it is done at all, for tasks that nobody needs, such as `title_generation`',
};

const CONVERSATION: Meanings = {
  compression: 'How a conversation is kept inside the window',
  'compression.enabled': 'Whether it is done unasked; `/compress` works all the same',
  'compression.threshold': 'The share of the window from which on it is done',
  'compression.target_ratio': 'The share of the threshold that the newest messages may take',
  'compression.protect_last_n': 'The newest messages, which stay',
  'compression.protect_first_n': 'The first messages, which stay; the system prompt is one of them',
  context: 'Who keeps it inside the window',
  'context.engine': '`compressor` (the default) writes summaries, `lossless` a map to read back by; or one of a plugin',
  agent: 'How the agent works',
  'agent.max_turns': 'The most steps a turn may take',
  'agent.stream_stale_timeout':
    'Seconds of silence after which an answer is given up; without it the kind of endpoint decides',
  'agent.reasoning_effort': 'How much it thinks: the nearest that the model knows; without it the provider decides',
  'agent.service_tier': 'Whether answers are bought faster where a provider offers it: `fast` and `priority` do',
  'agent.disabled_toolsets': 'Tool sets and tools that are switched off',
  'agent.personalities.NAME': 'What `/personality NAME` tells the model about how to speak',
  'agent.save_trajectories':
    'Write the conversation down for training at the end of each turn; as `--save-trajectories`',
  trajectories: 'Conversations as training data',
  'trajectories.file':
    'The one file for all turns; without it `trajectory_samples.jsonl` and, for turns that did not complete, `failed_trajectories.jsonl`, in the working directory',
  'trajectories.system_template':
    'A file with another wording of the system turn; `{{tools}}`, `{{call_schema}}` and `{{call_example}}` are filled in',
  'trajectories.redact': 'Whether secrets are taken out of what is saved',
  delegation: 'Subagents, which `delegate_task` starts',
  'delegation.max_iterations': 'The most steps each may take',
  'delegation.max_concurrent_children': 'How many work at once',
  'delegation.child_timeout_seconds': 'Seconds that each may work; 0 means as long as it takes',
  code_execution: 'Scripts, which `execute_code` runs',
  'code_execution.timeout': 'Seconds that a script may run',
  'code_execution.max_tool_calls': 'How many calls of tools it may make',
  prompt_caching: 'What providers keep of a request',
  'prompt_caching.cache_ttl': 'How long: an hour costs more to write, and helps those who pause',
  toolsets: 'Only these tool sets; without it all of them',
  context_file_max_chars: 'How much of a file of the project goes into the prompt; 20,000 characters without it',
  tools: 'Tools of others',
  'tools.allow_override': 'Built-in tools that a plugin or a server may replace',
  limits: 'Where a turn or a session stops; a warning comes at 80 %',
  'limits.session_usd': 'US dollars of a session',
  'limits.day_usd': 'US dollars of a day, over all sessions',
  'limits.session_tokens': 'Tokens of a session',
  'limits.turn_seconds': 'Seconds of a turn',
  display: 'What a terminal shows, and what its keys do',
  'display.busy_input_mode':
    'What a line does that is typed during a turn: `steer` (the default) hands it to the model, `queue` keeps it for the next turn, `interrupt` ends the turn first',
  'display.plain': 'Whether a chat is held in plain lines, for screen readers and simple terminals; as `--plain`',
  'display.bell': 'Whether the terminal is told when a long turn ends or a question waits',
  'display.show_reasoning': 'Whether thoughts of the model are shown whole; a key folds and unfolds them',
  'display.personality': 'The personality that new sessions begin with',
};

const SAFETY: Meanings = {
  approvals: 'What asks first',
  'approvals.mode':
    '`manual` asks you, `smart` asks a second model first, `off` does not ask; ruinous commands stay blocked',
  'approvals.timeout': 'Seconds after which a question counts as denied',
  'approvals.deny': 'Patterns of commands that never run',
  'approvals.cron_mode': 'What holds for scheduled jobs, where nobody can be asked; `deny` without it',
  'approvals.single_query_mode': 'What holds for single prompts, where nobody can be asked; `deny` without it',
  'approvals.batch_mode': 'The same for `hermes batch`, whatever holds for single prompts; `deny` without it',
  'approvals.denial_breaker_threshold':
    'Denials of one rule in a row after which the model is told to stop; 3 without it',
  'approvals.plan_mode': 'Whether every chat begins as with `--plan`',
  'approvals.workspace':
    "Whose writes outside of the working directory ask: those of file tools (the default), of commands too, or nobody's",
  'approvals.workspace_roots': {
    about: 'Folders beside the working directory in which may be written',
    variable: 'HERMES_WRITE_SAFE_ROOT',
  },
  command_allowlist: 'Commands and rules that were allowed for good',
  security: 'What tools may reach',
  'security.allow_private_urls': 'Whether tools may fetch from addresses inside of your network; `false` without it',
  web: 'Where the web is searched and read',
  'web.search_backend':
    '`exa`, `tavily`, `brave`, `serpapi`, `firecrawl`, `searxng` or `duckduckgo`; without it the first whose key or address is set',
  'web.backend': 'The same in older files; `web.search_backend` counts before it',
  'web.search_url': 'Another address of the search service, also one inside of your network',
  'web.extract_backend': '`firecrawl`, `tavily` or `exa`: who reads pages; without it they are fetched from here',
  'web.extract_url': 'Another address of that service, also one inside of your network',
  image_gen: 'Who makes images',
  'image_gen.provider': '`fal`, `openai`, `xai`, `openrouter` or `deepinfra`; without it `fal`, where its key is set',
  'image_gen.model': 'Its name there',
  'image_gen.base_url': 'Another address of the service; alone, that of a server that speaks as OpenAI does',
  'image_gen.api_key': 'The key for that address; better kept in `.env`, as `${VARIABLE}` here',
  tts: 'Who reads texts out',
  'tts.provider':
    '`elevenlabs`, `openai`, `minimax`, `gemini`, `xai`, `mistral` or `deepinfra`; without it the first two, where a key for speech is set',
  ...speaker('elevenlabs'),
  ...speaker('openai'),
  ...speaker('minimax'),
  ...speaker('gemini'),
  ...speaker('xai'),
  ...speaker('mistral'),
  ...speaker('deepinfra'),
  browser: 'The browser that the agent may use',
  'browser.enabled': 'Whether it may use one',
  'browser.cdp_url': {
    about: 'A browser that runs already, by the address of its debugging port: `http://127.0.0.1:9222`, `wss://…`',
    variable: 'BROWSER_CDP_URL',
  },
  'browser.executable_path': {
    about: 'The program, where it is not one of the usual Chromiums and Chromes',
    variable: 'AGENT_BROWSER_EXECUTABLE_PATH',
  },
  'browser.headed': 'Whether it has a window that you can see',
  'browser.sandbox': 'Whether it locks its pages up in a sandbox of its own; without it wherever it is not run by root',
  'browser.allow_private_urls':
    'Whether pages may be opened from addresses inside of your network, as with `security.allow_private_urls`; those of this machine may in any case',
  'browser.inactivity_timeout': 'Seconds without use after which it is closed',
  'browser.command_timeout': 'Seconds that one call may take',
};

const PLACES: Meanings = {
  checkpoints: 'Files as they were, for /rollback',
  'checkpoints.enabled': 'Keep the files of the working directory before a turn changes them, as with --checkpoints',
  'checkpoints.max_snapshots': 'How many checkpoints of one directory are kept',
  'checkpoints.max_file_size_mb': 'Larger files are left out',
  'checkpoints.max_total_size_mb': 'What the checkpoints of all directories may take; those used longest ago go first',
  'checkpoints.excludes': 'Files that are left out, in the words of a .gitignore',
  terminal: 'Where commands run',
  'terminal.backend': {
    about: '`local`, `sandbox`, `ssh`, `docker`, `singularity`, `modal` or `daytona`',
    variable: 'TERMINAL_ENV',
  },
  'terminal.cwd': { about: 'Where they begin on the other side', variable: 'TERMINAL_CWD' },
  'terminal.env_passthrough': 'Variables that commands get although they look like secrets',
  'terminal.sandbox_network': 'Whether a sandbox has network',
  'terminal.keep_background': 'Whether background processes go on when the program leaves',
  'terminal.ssh_host': { about: 'The host of `ssh`', variable: 'TERMINAL_SSH_HOST' },
  'terminal.ssh_user': { about: 'Who logs in there', variable: 'TERMINAL_SSH_USER' },
  'terminal.ssh_port': { about: 'Its port', variable: 'TERMINAL_SSH_PORT' },
  'terminal.ssh_key': { about: 'The file of the key', variable: 'TERMINAL_SSH_KEY' },
  'terminal.container_engine':
    'The engine, by name or path; by default `docker`, then `podman`; `apptainer`, then `singularity`',
  'terminal.container_cpu': 'Processors of a container; for docker 1 where it is not set',
  'terminal.container_memory': 'Megabytes of memory of a container; for docker 5120 where it is not set',
  'terminal.container_disk': 'Megabytes of disk of a container, where the storage of docker can limit it',
  'terminal.container_network': 'Whether a container has network',
  'terminal.container_persistent': 'Whether what is in a container is there again at the next start',
  'terminal.docker_image': { about: 'The image of `docker`', variable: 'TERMINAL_DOCKER_IMAGE' },
  'terminal.docker_volumes':
    'Folders of this machine seen in a container, `folder:folder inside[:ro]`; approvals ask then',
  'terminal.docker_mount_cwd_to_workspace':
    'Whether the working directory is seen in a container, as `/workspace`; approvals ask then',
  'terminal.docker_extra_args': 'More arguments for the engine when it makes a container; approvals ask then',
  'terminal.singularity_image': { about: 'The image of `singularity`', variable: 'TERMINAL_SINGULARITY_IMAGE' },
  'terminal.modal_image': { about: 'The image of `modal`', variable: 'TERMINAL_MODAL_IMAGE' },
  'terminal.daytona_image': { about: 'The image of `daytona`', variable: 'TERMINAL_DAYTONA_IMAGE' },
};

const KEPT: Meanings = {
  storage: 'Where sessions are kept, instead of a file of the home folder',
  'storage.url': {
    about: 'The PostgreSQL they are in, `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`; better kept in `.env`',
    variable: 'HERMES_DATABASE_URL',
  },
  'storage.pool_size': 'How many connections to it one process has at most',
  'storage.connect_timeout': 'Seconds in which a connection has to be there',
  'storage.statement_timeout': 'Seconds that one statement may take',
  memory: 'What outlives a session',
  'memory.memory_enabled': 'Whether the agent keeps notes, in `MEMORY.md`',
  'memory.user_profile_enabled': 'Whether it keeps what it knows of you, in `USER.md`',
  'memory.write_approval': 'Whether you are asked before something is written',
  'memory.memory_char_limit': 'The most characters of `MEMORY.md`',
  'memory.user_char_limit': 'The most characters of `USER.md`',
  'memory.nudge_interval': 'Messages after which a review looks for something worth keeping',
  'memory.provider': 'A service that remembers beside the files: `sessions` or `honcho`',
  'memory.honcho.base_url': { about: 'Its address; `https://api.honcho.dev` without it', variable: 'HONCHO_BASE_URL' },
  'memory.honcho.workspace': 'The workspace; `hermes` without it',
  'memory.honcho.user_peer': 'You; `user` without it',
  'memory.honcho.agent_peer': 'The agent; `hermes` without it',
  plugins: 'Code of others that is loaded: [plugins](../plugins.md)',
  'plugins.enabled': 'Plugins that are loaded, by name; `hermes plugins enable` adds one',
  'plugins.disabled': 'Plugins that are never loaded',
  'plugins.packages': 'npm packages that are plugins: names in `plugins/node_modules` of the home, or folders',
  'plugins.trusted_project_dirs': 'Projects whose own plugins may be enabled',
  'plugins.config.NAME': 'What the plugin with this name is told',
  hooks: 'Commands of your own that are run at steps of a turn, by step: [plugins](../plugins.md)',
  'hooks.NAME[].command': 'What is run, in a shell; only after `hermes hooks allow`',
  'hooks.NAME[].matcher': 'An expression for names of tools; all of them without it',
  'hooks.NAME[].timeout': 'Seconds after which it is stopped, 300 at most',
  skills: 'Where skills come from, and who writes them',
  'skills.external_dirs': 'More folders with skills',
  'skills.indexes': 'Lists of skills, by address or file, in which `hermes skills search` looks',
  'skills.search_npm': 'Whether it also asks npm',
  'skills.project_discovery': 'Whether skills of a project are looked for',
  'skills.trusted_project_dirs': 'Projects whose skills are used; `hermes skills trust` adds one',
  'skills.guard_agent_created': 'Whether what the agent writes is scanned like a skill of others',
  'skills.write_approval': 'Whether you are asked before the agent changes a skill',
  'skills.creation_nudge_interval':
    'Steps with tools after which a review looks for something worth keeping; 0 for never',
  'skills.index_budget': 'The most tokens that the names of skills may take in the prompt',
  'skills.config': 'What skills read of your settings, by key',
};

const SERVERS: Meanings = {
  mcp_servers: 'MCP servers, whose tools the agent may use, by name',
  ...server('command', 'The program that is started, for a server of this machine'),
  ...server('args', 'Its arguments'),
  ...server('env.NAME', 'A variable it gets; of yours it gets a few harmless ones alone'),
  ...server('cwd', 'Where it is started; the working directory without it'),
  ...server('url', 'The address, for a server elsewhere'),
  ...server('headers.NAME', 'A header that goes with every request, such as a key as `${VARIABLE}`'),
  ...server('transport', 'How it is spoken to, where that is not to be found out'),
  ...server('auth', '`oauth`: you log in there, with `hermes mcp login NAME`'),
  ...server('oauth.client_id', 'The client that asks, where the server does not hand one out'),
  ...server('oauth.client_secret', 'Its secret; better kept in `.env`, as `${VARIABLE}` here'),
  ...server('oauth.scope', 'What is asked for'),
  ...server('ssl_verify', 'A file with authorities that are trusted as well; `false`: any certificate is believed'),
  ...server('client_cert', 'The certificate that is shown to it, a file, or a list of two: certificate and key'),
  ...server('client_key', 'The key of the certificate, where it is in a file of its own'),
  ...server('enabled', 'Whether it is used; `true` without it'),
  ...server('timeout', 'Seconds that a call may take; 300 without it'),
  ...server('connect_timeout', 'Seconds that connecting may take; 60 without it'),
  ...server('keepalive_interval', 'Seconds between two looks whether an address still answers; 180 without it'),
  ...server('idle_timeout_seconds', 'After so long without a call it is let go, until the next one; 0 for never'),
  ...server('max_lifetime_seconds', 'After so long it is let go as soon as no call runs; 0 for never'),
  ...server('supports_parallel_tool_calls', 'Whether calls that change something may run beside each other'),
  ...server('trust', '`full`: nothing asks; `untrusted`: all that does not only read asks'),
  ...server('tools.include', 'Only these tools; `*` stands for anything'),
  ...server('tools.exclude', 'Not these tools'),
  ...server('tools.resources', 'Whether its resources can be read; `true` without it'),
  ...server('tools.prompts', 'Whether its prompts can be used; `true` without it'),
  ...server('sampling.enabled', 'Whether it may ask an auxiliary model, at your cost; `false` without it'),
  ...server('sampling.max_tokens_cap', 'The longest answer it may ask for; 4096 tokens without it'),
  ...server('sampling.max_rpm', 'How often it may ask in a minute; 10 without it'),
  ...server('sampling.timeout', 'Seconds that such an answer may take; 30 without it'),
  ...server('elicitation', 'Whether it may ask you something; `true` without it'),
};

function speaker(name: string): Meanings {
  const path = `tts.${name}`;
  return {
    [`${path}.model`]: 'The model',
    [`${path}.model_id`]: 'The same, as existing files have it',
    [`${path}.voice`]: 'The voice',
    [`${path}.voice_id`]: 'The same, as existing files have it',
    [`${path}.base_url`]: 'Another address, also one inside of your network',
    [`${path}.api_key`]: 'The key for that address; better kept in `.env`, as `${VARIABLE}` here',
  };
}

function server(key: string, about: string): Meanings {
  return { [`mcp_servers.NAME.${key}`]: about };
}

function choice(path: string): Meanings {
  return { [`${path}provider`]: 'Who offers it', [`${path}model`]: 'Its name', ...endpoint(path) };
}

function endpoint(path: string): Meanings {
  return {
    [`${path}base_url`]: 'The address of the endpoint',
    [`${path}api_key`]: 'The key; better kept in `.env`, as `${VARIABLE}` here',
    [`${path}api_mode`]: 'The wire format it speaks, where the address does not tell',
    [`${path}context_length`]: 'The window in tokens, where you know it better',
  };
}

function facts(path: string): Meanings {
  return {
    [`${path}context_length`]: 'The window, in tokens',
    [`${path}output_limit`]: 'The longest answer, in tokens',
    [`${path}vision`]: 'Whether it takes images',
    [`${path}documents`]: 'Whether it takes PDF files',
    [`${path}tools`]: 'Whether it calls tools',
    [`${path}reasoning`]: 'Whether it thinks before it answers',
    [`${path}price.input`]: 'US dollars per million tokens of input',
    [`${path}price.output`]: 'US dollars per million tokens of output',
    [`${path}price.cache_read`]: 'US dollars per million tokens from the cache',
    [`${path}price.cache_write`]: 'US dollars per million tokens into the cache',
  };
}
