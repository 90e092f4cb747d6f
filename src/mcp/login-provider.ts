import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { ServerFailure } from './server-failure.ts';
import type { TokenStore } from './token-store.ts';

export type LoginParts = {
  serverName: string;
  settings: NonNullable<McpServerSettings['login']>;
  store: TokenStore;
  /** Only while the person logs in: where the browser comes back to, and how they are shown where to go. */
  browser?: { redirectUrl: string; state: string; show(address: string): void } | undefined;
};

/** What the protocol package asks us about a login: authorization code with PKCE, and a registration made on the spot. */
export function createLoginProvider({ serverName, settings, store, browser }: LoginParts): OAuthClientProvider {
  let verifier = '';
  let registered: StoredOAuthClientInformation | undefined;
  let used: JsonObject | undefined;
  let discovered: OAuthDiscoveryState | undefined;
  return {
    redirectUrl: browser?.redirectUrl ?? 'http://127.0.0.1/callback',
    clientMetadata: {
      client_name: 'Hermes',
      redirect_uris: [browser?.redirectUrl ?? 'http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: settings.clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(settings.scope !== undefined && { scope: settings.scope }),
    },
    state: () => browser?.state ?? '',
    async clientInformation(context) {
      const { clientId: client_id, clientSecret: client_secret } = settings;
      const issuer = context?.issuer;
      if (client_id !== undefined)
        return { client_id, ...(client_secret !== undefined && { client_secret }), ...(issuer && { issuer }) };
      // A registration holds for the address that the browser comes back to, whose port is another one each time.
      const { client } = await store.read();
      return browser === undefined ? (client as StoredOAuthClientInformation | undefined) : registered;
    },
    // Written down with the tokens: without those it is worth nothing.
    saveClientInformation(client) {
      registered = client;
    },
    async tokens() {
      const { tokens } = await store.read();
      used = tokens;
      return browser === undefined ? (tokens as StoredOAuthTokens | undefined) : undefined;
    },
    saveTokens: (tokens) => store.save({ tokens: { ...tokens }, ...(registered && { client: { ...registered } }) }),
    redirectToAuthorization(address) {
      if (browser === undefined) throw needsLogin(serverName);
      browser.show(address.href);
    },
    saveCodeVerifier(given) {
      verifier = given;
    },
    codeVerifier: () => verifier,
    // The code has to be redeemed where it was asked for.
    saveDiscoveryState(found) {
      discovered = found;
    },
    discoveryState: () => discovered,
    async invalidateCredentials(scope) {
      if (scope === 'tokens' || scope === 'all') await store.forget(used);
    },
  };
}

export function needsLogin(serverName: string): ServerFailure {
  return new ServerFailure('login', `${serverName} wants a login.`, { hint: `Run: hermes mcp login ${serverName}` });
}
