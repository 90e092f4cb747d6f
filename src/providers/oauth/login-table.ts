import type { EnvironmentVariables, LoginOverrides, Settings } from '../../config/index.ts';

/**
 * Logins by provider id. Client ids and URLs are those of the providers' own open-source clients; they were not
 * tested against the real services, as docs/credentials.md also says. All of them can be overridden in config.yaml.
 */
export const LOGINS: Readonly<Record<string, LoginSettings>> = {
  'openai-codex': {
    name: 'OpenAI Codex',
    flow: 'code',
    clientId: 'app_EMoamEEZ73f0CkXaXp7hrann',
    scope: 'openid profile email offline_access',
    authorizeUrl: 'https://auth.openai.com/oauth/authorize',
    tokenUrl: 'https://auth.openai.com/oauth/token',
    // This redirect URI is registered for the client id, including the port.
    redirectUri: 'http://localhost:1455/auth/callback',
    authorizeParameters: { id_token_add_organizations: 'true', codex_cli_simplified_flow: 'true' },
    accountHeader: 'chatgpt-account-id',
    accountClaim: ['https://api.openai.com/auth', 'chatgpt_account_id'],
  },
  copilot: {
    name: 'GitHub Copilot',
    flow: 'device',
    clientId: 'Iv1.b507a08c87ecfe98',
    scope: 'read:user',
    deviceUrl: 'https://github.com/login/device/code',
    tokenUrl: 'https://github.com/login/oauth/access_token',
    headers: { 'copilot-integration-id': 'vscode-chat', 'editor-version': 'hermes-agent-ts/0.1' },
    exchange: {
      method: 'GET',
      url: 'https://api.github.com/copilot_internal/v2/token',
      secretField: 'token',
      expiryField: 'expires_at',
      baseUrlPath: ['endpoints', 'api'],
      baseUrlHost: 'githubcopilot.com',
    },
  },
  nous: {
    name: 'Nous Portal',
    flow: 'device',
    clientId: 'hermes-cli',
    scope: 'inference:mint_agent_key',
    deviceUrl: 'https://portal.nousresearch.com/api/oauth/device/code',
    tokenUrl: 'https://portal.nousresearch.com/api/oauth/token',
    exchange: {
      method: 'POST',
      url: 'https://portal.nousresearch.com/api/oauth/agent-key',
      body: { min_ttl_seconds: 1800 },
      secretField: 'api_key',
      expiryField: 'expires_at',
    },
  },
  anthropic: {
    name: 'Anthropic',
    flow: 'code',
    clientId: '9d1c250a-e61b-44d9-88ed-5944d1962f5e',
    scope: 'org:create_api_key user:profile user:inference',
    authorizeUrl: 'https://claude.ai/oauth/authorize',
    tokenUrl: 'https://platform.claude.com/v1/oauth/token',
    redirectUri: 'https://platform.claude.com/oauth/code/callback',
    authorizeParameters: { code: 'true' },
    bodyFormat: 'json',
    sendState: true,
    headers: { 'anthropic-beta': 'oauth-2025-04-20' },
  },
  'qwen-oauth': {
    name: 'Qwen',
    flow: 'device',
    clientId: 'f0304373b74a44d2b584a3fb70ca9e56',
    scope: 'openid profile email model.completion',
    deviceUrl: 'https://chat.qwen.ai/api/v1/oauth2/device/code',
    tokenUrl: 'https://chat.qwen.ai/api/v1/oauth2/token',
    devicePkce: true,
  },
  'minimax-oauth': {
    name: 'MiniMax',
    flow: 'device',
    clientId: '78257093-7e40-4613-99e0-527b14b39113',
    scope: 'group_id profile model.completion',
    deviceUrl: 'https://account.minimax.io/oauth2/device/code',
    tokenUrl: 'https://account.minimax.io/oauth2/token',
    devicePkce: true,
    deviceGrant: 'urn:ietf:params:oauth:grant-type:user_code',
    pollField: 'user_code',
  },
};

/** The login of a provider: its row merged with the user's settings, which can also define a login without a row. */
export function findLogin(
  settings: Pick<Settings, 'logins'> & Partial<Pick<Settings, 'variables'>>,
  provider: string,
  name?: string,
): Login | undefined {
  const row = Object.hasOwn(LOGINS, provider) ? LOGINS[provider] : undefined;
  const overrides = settings.logins && Object.hasOwn(settings.logins, provider) ? settings.logins[provider] : undefined;
  if (row === undefined && overrides === undefined) return undefined;
  return {
    ...merge(row ?? { name: name ?? provider, flow: 'device' }, overrides ?? {}),
    provider,
    variables: settings.variables,
  };
}

function merge(row: LoginSettings, { exchangeUrl, ...simple }: LoginOverrides): LoginSettings {
  const set = Object.fromEntries(Object.entries(simple).filter(([, value]) => value !== undefined));
  // Configuring the URL of a flow selects that flow.
  const flow = simple.deviceUrl !== undefined ? 'device' : simple.authorizeUrl !== undefined ? 'code' : row.flow;
  const exchange = row.exchange && exchangeUrl !== undefined ? { ...row.exchange, url: exchangeUrl } : row.exchange;
  return { ...row, ...set, flow, exchange };
}

/** The token exchange: gets the short-lived token that the endpoint expects. */
export type ExchangeSettings = {
  method: 'GET' | 'POST';
  url: string;
  body?: Readonly<Record<string, number | string>>;
  secretField: string;
  expiryField: string;
  /** The path of the base URL in the response, and the host that it may name, including subdomains. */
  baseUrlPath?: readonly string[];
  baseUrlHost?: string;
};

/** Everything that is specific to the login of one provider. A new provider needs only a new row. */
export type LoginSettings = Omit<LoginOverrides, 'exchangeUrl'> & {
  /** The display name. */
  name: string;
  /** `device`: the user enters a code elsewhere. `code`: the browser returns a code, or the user pastes it. */
  flow: 'device' | 'code';
  bodyFormat?: 'form' | 'json';
  /** Whether the device flow also requires PKCE. */
  devicePkce?: boolean;
  deviceGrant?: string;
  /** The field to poll with; `device_code` in the RFC. */
  pollField?: 'device_code' | 'user_code';
  authorizeParameters?: Readonly<Record<string, string>>;
  /** Whether the token endpoint requires the state. */
  sendState?: boolean;
  /** Headers sent with a login token, to the provider's hosts only. */
  headers?: Readonly<Record<string, string>>;
  /** The header with the account id, and its path in the token claims. */
  accountHeader?: string;
  accountClaim?: readonly string[];
  exchange?: ExchangeSettings;
};

/** A row with its provider id, for messages and auth.json. */
export type Login = LoginSettings & {
  provider: string;
  /** The environment variables for proxies and certificates. */
  variables?: EnvironmentVariables;
};
