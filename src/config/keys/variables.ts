export type KnownVariable = {
  name: string;
  about: string;
  /** The heading under which the variable is documented. */
  group: VariableGroup;
};
export type VariableGroup =
  | 'home and storage'
  | 'model'
  | 'clouds'
  | 'commands and memory'
  | 'web'
  | 'images and speech'
  | 'network'
  | 'gateway'
  | 'terminal';

/**
 * The environment variables that Hermes reads, except the API keys of providers and the variables of messaging platforms,
 * which are in their tables.
 * Unless noted otherwise they can also be set in `.env`, which takes precedence over the environment.
 */
export function knownVariables(): KnownVariable[] {
  return Object.entries(VARIABLES).flatMap(([group, entries]) =>
    Object.entries(entries).map(([name, about]) => ({ name, about, group: group as VariableGroup })),
  );
}

const SSL = 'A file with certificate authorities that are trusted in addition to those of the system';

const VARIABLES: Readonly<Record<VariableGroup, Readonly<Record<string, string>>>> = {
  'home and storage': {
    HERMES_HOME: 'The home directory. Default: `~/.hermes`. Not read from `.env`, which is inside it',
    HERMES_PROFILE: 'The profile to use; takes precedence over `HERMES_HOME`, and `-p` over both. Not read from `.env`',
    HERMES_DATABASE_URL:
      '`storage.url`: the PostgreSQL database for sessions, instead of the SQLite file in the home directory',
    PGPASSWORD: 'The password of that database, if the URL does not contain it. Not read from `.env`',
    CODEX_HOME:
      'The folder in which the Codex command line stores its login, for `hermes auth add openai-codex --import`',
    CLAUDE_CONFIG_DIR: 'The folder in which Claude Code stores its login, if that login is used',
    NODE_DISABLE_COMPILE_CACHE:
      '`1` disables the compile cache. The folder `cache/compile` in the home directory may be deleted at any time. Not read from `.env`',
  },
  model: {
    HERMES_INFERENCE_PROVIDER: 'The provider, if neither the command line nor `config.yaml` names one',
    HERMES_EPHEMERAL_SYSTEM_PROMPT: 'Takes precedence over `agent.system_prompt`',
    HERMES_PREFILL_MESSAGES_FILE: 'Takes precedence over `prefill_messages_file`',
    HERMES_INFERENCE_MODEL: 'The model, if neither the command line nor `config.yaml` names one',
    HERMES_AGENT_TIMEOUT: 'Seconds without any activity after which a turn in a chat is stopped; overrides the setting',
    OPENAI_BASE_URL: 'The base URL of your own endpoint, if no provider is configured',
    HERMES_COPILOT_ACP_COMMAND: 'The program of the provider `copilot-acp`. Default: `copilot`',
    COPILOT_CLI_PATH: 'The same, under the name that other programs use',
    HERMES_COPILOT_ACP_ARGS: 'The arguments of that program, on one line',
  },
  clouds: {
    AWS_REGION: '`providers.bedrock.region`. The region of the AWS profile comes after it. Default: `us-east-1`',
    AWS_DEFAULT_REGION: 'The same, under its older name',
    AWS_PROFILE: '`providers.bedrock.profile`: a profile in `~/.aws/config` and `~/.aws/credentials`',
    AWS_DEFAULT_PROFILE: 'The same, under its older name',
    AWS_ACCESS_KEY_ID: 'The access key for Amazon Bedrock, if no profile is chosen',
    AWS_SECRET_ACCESS_KEY: 'The secret of that key',
    AWS_SESSION_TOKEN: 'The session token of that key, if it is temporary',
    AWS_CONFIG_FILE: 'Another file instead of `~/.aws/config`',
    AWS_SHARED_CREDENTIALS_FILE: 'Another file instead of `~/.aws/credentials`',
    AWS_ROLE_ARN: 'The role for the web identity token in `AWS_WEB_IDENTITY_TOKEN_FILE`',
    AWS_ROLE_SESSION_NAME: 'The session name for that role. Default: `hermes`',
    AWS_WEB_IDENTITY_TOKEN_FILE: 'The file with a web identity token, as Kubernetes sets it',
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: 'The path of the credentials of a container, set by ECS',
    AWS_CONTAINER_CREDENTIALS_FULL_URI: 'The URL of the credentials of a container, set by EKS',
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'The authorization for that URL',
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: 'A file with the authorization for that URL',
    AWS_EC2_METADATA_DISABLED: '`true`: do not ask the metadata server of an EC2 instance for credentials',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: 'Another URL of that metadata server',
    GOOGLE_APPLICATION_CREDENTIALS: 'The file of the application default credentials, for Vertex AI',
    CLOUDSDK_CONFIG: 'The folder of gcloud, which contains these credentials by default',
    GOOGLE_CLOUD_PROJECT: '`providers.vertex.project`. Default: the project of the credentials',
    GCLOUD_PROJECT: 'The same, under its older name',
    ANTHROPIC_VERTEX_PROJECT_ID: 'The same, under the name that Claude Code uses',
    GOOGLE_CLOUD_LOCATION: '`providers.vertex.region`. Default: `global`',
    CLOUD_ML_REGION: 'The same, under the name that Claude Code uses',
    GCE_METADATA_HOST: 'Another host of the metadata server of Google Cloud',
    NO_GCE_CHECK: '`true`: do not ask that server for credentials',
    AZURE_OPENAI_ENDPOINT: 'The URL of the Azure OpenAI resource',
    AZURE_RESOURCE_NAME: '`providers.azure.resource`: the name of the resource, instead of its URL',
    AZURE_TENANT_ID: 'The tenant of the Entra application or login',
    AZURE_CLIENT_ID: 'The Entra application, or the managed identity',
    AZURE_CLIENT_SECRET: 'The secret of the Entra application',
    AZURE_FEDERATED_TOKEN_FILE: 'A file with a token instead of that secret, as Kubernetes sets it',
    AZURE_AUTHORITY_HOST: 'Another URL of Microsoft Entra',
    IDENTITY_ENDPOINT: 'The URL of the managed identity, set by App Service and Container Apps',
    IDENTITY_HEADER: 'The authorization for that URL',
    AZURE_POD_IDENTITY_AUTHORITY_HOST: 'Another URL of the metadata server of Azure',
  },
  'commands and memory': {
    TERMINAL_ENV: '`terminal.backend`',
    TERMINAL_CWD: '`terminal.cwd`',
    TERMINAL_TIMEOUT: '`terminal.timeout`',
    TERMINAL_SSH_HOST: '`terminal.ssh_host`',
    TERMINAL_SSH_USER: '`terminal.ssh_user`',
    TERMINAL_SSH_PORT: '`terminal.ssh_port`',
    TERMINAL_SSH_KEY: '`terminal.ssh_key`',
    TERMINAL_DOCKER_IMAGE: '`terminal.docker_image`',
    TERMINAL_SINGULARITY_IMAGE: '`terminal.singularity_image`',
    TERMINAL_MODAL_IMAGE: '`terminal.modal_image`',
    TERMINAL_DAYTONA_IMAGE: '`terminal.daytona_image`',
    MODAL_TOKEN_ID: 'The Modal token id. Default: the token in `~/.modal.toml`',
    MODAL_TOKEN_SECRET: 'The secret of the Modal token',
    MODAL_SERVER_URL: 'Another URL of Modal. Not read from `.env`',
    DAYTONA_API_KEY: 'The API key of Daytona',
    DAYTONA_API_URL: 'Another URL of Daytona',
    DAYTONA_TARGET: 'The Daytona region in which containers are created',
    HERMES_WRITE_SAFE_ROOT: 'Additional folders that may be written to without approval, separated as in `PATH`',
    HONCHO_API_KEY: 'The API key of the memory provider `honcho`',
    HONCHO_BASE_URL: '`memory.honcho.base_url`',
  },
  web: {
    EXA_API_KEY:
      'The API key of Exa. Unless `web.search_backend` is set, the first of these keys and URLs that is set selects the search service',
    TAVILY_API_KEY: 'The API key of Tavily',
    BRAVE_SEARCH_API_KEY: 'The API key of Brave Search',
    BRAVE_API_KEY: 'The same, under the name that other programs use',
    SERPAPI_API_KEY: 'The API key of SerpAPI',
    FIRECRAWL_API_KEY: 'The API key of Firecrawl',
    FIRECRAWL_API_URL: 'The URL of your own Firecrawl server',
    SEARXNG_URL: 'The URL of your own SearXNG server',
    BROWSER_CDP_URL: '`browser.cdp_url`',
    AGENT_BROWSER_EXECUTABLE_PATH: '`browser.executable_path`',
  },
  'images and speech': {
    FAL_KEY: 'The API key of FAL, for generating images',
    ELEVENLABS_API_KEY: 'The API key of ElevenLabs, for speech',
    VOICE_TOOLS_OPENAI_KEY: 'An OpenAI API key for speech only; takes precedence over `OPENAI_API_KEY`',
  },
  network: {
    HTTPS_PROXY: 'The proxy for https URLs. Lower case works too, as with the others',
    HTTP_PROXY: 'The proxy for http URLs',
    ALL_PROXY: 'The proxy for both, if the specific variable is not set',
    NO_PROXY: 'Comma-separated hosts that are reached without a proxy',
    SSL_CERT_FILE: SSL,
    REQUESTS_CA_BUNDLE: SSL,
    CURL_CA_BUNDLE: SSL,
    NODE_EXTRA_CA_CERTS: SSL,
  },
  gateway: {
    HERMES_TOOL_PROGRESS_MODE: '`display.tool_progress`, if no key of the file sets it',
    WEBHOOK_ENABLED: '`platforms.webhook.enabled`: whether the gateway receives requests of other programs',
    WEBHOOK_HOST: '`platforms.webhook.extra.host`',
    WEBHOOK_PORT: '`platforms.webhook.extra.port`',
    WEBHOOK_PUBLIC_URL: '`platforms.webhook.extra.public_url`',
    WEBHOOK_SECRET: '`platforms.webhook.extra.secret`',
    API_SERVER_ENABLED:
      '`platforms.api_server.enabled`: whether `hermes gateway run` also starts the API server. Default: `true` if there is a key',
    API_SERVER_KEY:
      'The key that clients of the API server send. At least 32 characters if it listens on another address than 127.0.0.1',
    API_SERVER_HOST: '`platforms.api_server.extra.host`',
    API_SERVER_PORT: '`platforms.api_server.extra.port`. Default: 8642',
    API_SERVER_CORS_ORIGINS: '`platforms.api_server.extra.cors_origins`, separated by commas',
    API_SERVER_MODEL_NAME: '`platforms.api_server.extra.model_name`',
    SESSION_IDLE_MINUTES: '`session_reset.idle_minutes`',
    SESSION_RESET_HOUR: '`session_reset.at_hour`',
    GATEWAY_ALLOWED_USERS: 'Ids of users of all platforms who may write to the bot',
    GATEWAY_ALLOW_ALL_USERS: '`true` lets everybody write to the bot, unless there is a list of users',
    HERMES_MEDIA_ALLOW_DIRS: '`gateway.media_delivery_allow_dirs`, separated as in `PATH`',
    HERMES_LOCAL_STT_COMMAND:
      'The command that transcribes voice messages, with `{input_path}`, `{output_dir}`, `{model}` and `{language}`. It prints the text or writes a `.txt` file to the output folder. Default: `whisper`',
    HERMES_LOCAL_STT_LANGUAGE: '`stt.local.language`',
    STT_OPENAI_BASE_URL: '`stt.openai.base_url`',
  },
  terminal: {
    NO_COLOR: 'Any non-empty value disables colours. Not read from `.env`, like the others in this group',
    TERM: '`dumb` disables colours and the screen',
    HERMES_PLAIN: 'Any value except an empty one and `0` selects plain mode, like `--plain`',
    COLORFGBG: 'Set by some terminals to their colours; shows whether the background is light',
    TERM_PROGRAM: 'The name of the terminal. Some redraw a resized window in their own way',
    VTE_VERSION: 'Set by terminals of the VTE library; shows whether they support hyperlinks',
    XTERM_VERSION: 'Set by xterm, for the same purpose',
    STY: 'Set by GNU screen, for the same purpose',
    VISUAL: 'The editor for `hermes config edit`, `hermes memory edit` and Ctrl-G in a chat',
    EDITOR: 'The same, if `VISUAL` is not set',
    HERMES_PORTABLE:
      '`1` uses only what every Unix has, such as `ps` instead of `/proc`, and no sandbox on Linux; for tests and for finding faults',
  },
};
