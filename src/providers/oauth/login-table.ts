import type { LoginSettings } from './login-settings.ts';

/**
 * Logins by provider id. Client ids and addresses are those that the providers' own open clients print; none was tried
 * from here against the real service, which docs/credentials.md says as well. Each can be set in config.yaml.
 */
export const LOGINS: Readonly<Record<string, LoginSettings>> = {
  'openai-codex': {
    name: 'OpenAI Codex',
    flow: 'code',
    clientId: 'app_EMoamEEZ73f0CkXaXp7hrann',
    scope: 'openid profile email offline_access',
    authorizeUrl: 'https://auth.openai.com/oauth/authorize',
    tokenUrl: 'https://auth.openai.com/oauth/token',
    // This address is registered with the client id, port included.
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
