export type KnownVariable = {
  name: string;
  about: string;
  /** Where it belongs in a list. */
  group: VariableGroup;
};
export type VariableGroup =
  | 'where things are'
  | 'model'
  | 'commands and memory'
  | 'the web'
  | 'images and speech'
  | 'network'
  | 'terminal';

/**
 * What is read of the environment, apart from the keys of providers, which their rows name. Unless something else is
 * said, a line in `.env` does the same, and counts before the environment.
 */
export function knownVariables(): KnownVariable[] {
  return Object.entries(VARIABLES).flatMap(([group, entries]) =>
    Object.entries(entries).map(([name, about]) => ({ name, about, group: group as VariableGroup })),
  );
}

const SSL = 'A file with certificate authorities that are trusted beside those of the system';

const VARIABLES: Readonly<Record<VariableGroup, Readonly<Record<string, string>>>> = {
  'where things are': {
    HERMES_HOME: 'The home folder, `~/.hermes` without it; not read from `.env`, which lies in it',
    HERMES_PROFILE: 'The profile to use, before `HERMES_HOME`; `-p` goes before it; not read from `.env`',
    HERMES_DATABASE_URL: '`storage.url`: the PostgreSQL that sessions are in, instead of a file of the home',
    PGPASSWORD: 'Its password, where the address has none; not read from `.env`',
    CODEX_HOME: 'Where the Codex command line keeps its login, for `hermes auth add openai-codex --import`',
    CLAUDE_CONFIG_DIR: 'Where Claude Code keeps its login, where that is used',
    NODE_DISABLE_COMPILE_CACHE:
      'With 1, no compiled code is kept or used; what is in `cache/compile` of the home can be deleted at any time; not read from `.env`',
  },
  model: {
    HERMES_INFERENCE_PROVIDER: 'The provider, where neither the command line nor `config.yaml` names one',
    HERMES_INFERENCE_MODEL: 'The model, likewise',
    OPENAI_BASE_URL: 'The address of an endpoint of your own, where nothing else was chosen',
    HERMES_COPILOT_ACP_COMMAND: 'The program of the provider `copilot-acp`, instead of `copilot`',
    COPILOT_CLI_PATH: 'The same, as other programs know it',
    HERMES_COPILOT_ACP_ARGS: 'Its arguments, in one line',
  },
  'commands and memory': {
    TERMINAL_ENV: '`terminal.backend`',
    TERMINAL_CWD: '`terminal.cwd`',
    TERMINAL_SSH_HOST: '`terminal.ssh_host`',
    TERMINAL_SSH_USER: '`terminal.ssh_user`',
    TERMINAL_SSH_PORT: '`terminal.ssh_port`',
    TERMINAL_SSH_KEY: '`terminal.ssh_key`',
    TERMINAL_DOCKER_IMAGE: '`terminal.docker_image`',
    TERMINAL_SINGULARITY_IMAGE: '`terminal.singularity_image`',
    TERMINAL_MODAL_IMAGE: '`terminal.modal_image`',
    TERMINAL_DAYTONA_IMAGE: '`terminal.daytona_image`',
    MODAL_TOKEN_ID: 'The token of Modal, with its secret; without both, those of `~/.modal.toml`',
    MODAL_TOKEN_SECRET: 'The secret of that token',
    MODAL_SERVER_URL: 'Another address of Modal; only from the environment, not from `.env`',
    DAYTONA_API_KEY: 'The key of Daytona',
    DAYTONA_API_URL: 'Another address of Daytona',
    DAYTONA_TARGET: 'The region of Daytona in which containers are made',
    HERMES_WRITE_SAFE_ROOT: 'More folders in which may be written without asking, divided like `PATH`',
    HONCHO_API_KEY: 'The key of the memory provider `honcho`',
    HONCHO_BASE_URL: '`memory.honcho.base_url`',
  },
  'the web': {
    EXA_API_KEY: 'The key of Exa; the first of these that is set decides where `web_search` asks',
    TAVILY_API_KEY: 'The key of Tavily',
    BRAVE_SEARCH_API_KEY: 'The key of Brave Search',
    BRAVE_API_KEY: 'The same, as other programs know it',
    SERPAPI_API_KEY: 'The key of SerpAPI',
    FIRECRAWL_API_KEY: 'The key of Firecrawl',
    FIRECRAWL_API_URL: 'The address of a Firecrawl of your own',
    SEARXNG_URL: 'The address of a SearXNG of your own',
    BROWSER_CDP_URL: '`browser.cdp_url`',
    AGENT_BROWSER_EXECUTABLE_PATH: '`browser.executable_path`',
  },
  'images and speech': {
    FAL_KEY: 'The key of FAL, which makes images',
    ELEVENLABS_API_KEY: 'The key of ElevenLabs, which reads texts out',
    VOICE_TOOLS_OPENAI_KEY: 'A key of OpenAI for speech alone; it counts before `OPENAI_API_KEY`',
  },
  network: {
    HTTPS_PROXY: 'The proxy for https addresses; also in small letters, as the others',
    HTTP_PROXY: 'The proxy for http addresses',
    ALL_PROXY: 'The proxy for both, where the one above is missing',
    NO_PROXY: 'Hosts that are reached without a proxy, with commas between them',
    SSL_CERT_FILE: SSL,
    REQUESTS_CA_BUNDLE: SSL,
    CURL_CA_BUNDLE: SSL,
    NODE_EXTRA_CA_CERTS: SSL,
  },
  terminal: {
    NO_COLOR: 'Anything but nothing: no colours; not read from `.env`, as the others here',
    TERM: '`dumb`: no colours, no drawing',
    HERMES_PLAIN: 'Anything but nothing and `0`: a chat in plain lines, as `--plain`',
    COLORFGBG: 'What some terminals say of their colours: whether the background is light',
    TERM_PROGRAM: 'Which terminal it is; some draw a window that changes its size in their own way',
    XTERM_VERSION: 'Set by xterm, as the one before',
    STY: 'Set by GNU screen, as the one before',
    VISUAL: 'The editor for `hermes config edit`, `hermes memory edit` and Ctrl-G in a chat',
    EDITOR: 'The same, where `VISUAL` is not set',
  },
};
