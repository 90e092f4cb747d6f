import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { errorMessage, HermesError, isJsonObject, type JsonObject, parseJson } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { changeFile, redactSecrets, rememberFields, shorten, writeFileAtomic } from '../util/index.ts';
import { expandText, type Variables } from './expand-variables.ts';
import { readCertificates } from './server-certificates.ts';
import { ServerFailure } from './server-failure.ts';
import { createServerFetch } from './server-fetch.ts';

export type LoginHooks = {
  /** Starts a listener for the OAuth callback. Returns the redirect URL and the authorization code. */
  receive(
    state: string,
  ): Promise<{ redirectUrl: string; code: Promise<{ code: string; issuer?: string }>; close(): void }>;
  /** Shows the authorization URL to the user. */
  show(address: string): void;
};

export type LoginContext = { variables: Variables; workingDirectory: string; tokensFolder: string };

/** Login and logout at one server. */
export function createLogin(name: string, settings: McpServerSettings, loginContext: LoginContext) {
  const { variables, workingDirectory, tokensFolder } = loginContext;
  const places = { workspaceFolder: workingDirectory };
  const url = () => {
    if (settings.url !== undefined) return expandText(settings.url, variables, places, `mcp_servers.${name}.url`);
    throw new ServerFailure('settings', `${name} is a local program and does not use a login.`, {
      hint: `Pass credentials as environment variables in mcp_servers.${name}.env.`,
    });
  };
  const store = (): TokenStore => createTokenStore(tokensFolder, name, url());
  return {
    /** Starts the login in the browser and waits for the callback. */
    async run(hooks: LoginHooks): Promise<void> {
      const state = randomBytes(24).toString('base64url');
      const serverUrl = url();
      const tls = await readCertificates({ name, settings }, variables, places);
      const receiver = await hooks.receive(state);
      const fetch = createServerFetch(name, variables, { host: new URL(serverUrl).host, tls });
      const login = settings.login ?? { clientId: undefined, clientSecret: undefined, scope: undefined };
      const browser = { redirectUrl: receiver.redirectUrl, state, show: hooks.show };
      const provider = createLoginProvider({ serverName: name, settings: login, store: store(), browser });
      const shared = { serverUrl, scope: login.scope, fetch: fetch.fetch };
      try {
        const protocol = await import('./mcp-protocol.ts');
        if ((await protocol.login(provider, shared)) === 'AUTHORIZED') return;
        await protocol.login(provider, { ...shared, ...(await receiver.code) });
      } catch (thrown) {
        throw loginFailure(name, thrown);
      } finally {
        receiver.close();
        fetch.close();
      }
    },
    async isLoggedIn(): Promise<boolean> {
      return (await store().read()).tokens !== undefined;
    },
    /** Deletes the stored login; false if there was none. */
    forget: () => createTokenStore(tokensFolder, name, '').remove(),
  };
}

function loginFailure(name: string, thrown: unknown): HermesError {
  if (thrown instanceof HermesError) return thrown;
  const why = shorten(redactSecrets(errorMessage(thrown)), 300);
  return new ServerFailure('login', `The login at ${name} failed: ${why}`, {
    hint: `Try again with \`hermes mcp login ${name}\`. If the server does not allow client registration, set mcp_servers.${name}.oauth.client_id.`,
    cause: thrown,
  });
}

type LoginParts = {
  serverName: string;
  settings: NonNullable<McpServerSettings['login']>;
  store: TokenStore;
  /** Set only during an interactive login: the redirect URL, and how the authorization URL is shown. */
  browser?: { redirectUrl: string; state: string; show(address: string): void } | undefined;
};

/** The protocol package's OAuth provider: authorization code with PKCE and dynamic client registration. */
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
      // A registration is bound to the redirect URL, whose port changes with each login.
      const { client } = await store.read();
      return browser === undefined ? (client as StoredOAuthClientInformation | undefined) : registered;
    },
    // The registration is saved together with the tokens, because it is useless without them.
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
    // Remembers the login server, because the code must be redeemed at the server that issued it.
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
  return new ServerFailure('login', `${serverName} requires a login.`, {
    hint: `Run: hermes mcp login ${serverName}`,
    isOwnText: true,
  });
}

/** A stored login: the client registration and the tokens, as the protocol package passes them. */
type StoredLogin = { client?: JsonObject; tokens?: JsonObject };

/** One private file per server. Tokens of one address are never used at another. */
interface TokenStore {
  read(): Promise<StoredLogin>;
  save(change: StoredLogin): Promise<void>;
  /** Removes tokens if they are still the rejected ones: another process may have refreshed them. */
  forget(refused?: JsonObject): Promise<boolean>;
  /** Removes the login; false if there was none. */
  remove(): Promise<boolean>;
}

export function createTokenStore(folder: string, serverName: string, url: string): TokenStore {
  const readable = serverName.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40);
  const file = join(folder, `${readable}-${createHash('sha256').update(serverName).digest('hex').slice(0, 8)}.json`);

  async function read(): Promise<StoredLogin> {
    const content = parseJson(await readFile(file, 'utf8').catch(() => ''));
    if (!isJsonObject(content) || content['url'] !== url) return {};
    rememberFields(content);
    const { client, tokens } = content;
    return { ...(isJsonObject(client) && { client }), ...(isJsonObject(tokens) && { tokens }) };
  }

  async function write(login: StoredLogin): Promise<void> {
    rememberFields(login);
    await writeFileAtomic(file, `${JSON.stringify({ url, ...login }, undefined, 2)}\n`, { mode: 0o600 });
  }

  return {
    read,
    save: (change) => changeFile(file, async () => write({ ...(await read()), ...change })),
    forget: (refused) =>
      changeFile(file, async () => {
        const { tokens, ...rest } = await read();
        if (tokens === undefined || (refused && tokens['access_token'] !== refused['access_token'])) return false;
        await write(rest);
        return true;
      }),
    async remove() {
      if (!existsSync(file)) return false;
      return changeFile(file, async () => {
        const isPresent = existsSync(file);
        await rm(file, { force: true });
        return isPresent;
      });
    },
  };
}
