import { randomBytes } from 'node:crypto';
import { errorMessage, HermesError } from '../base/index.ts';
import type { McpServerSettings } from '../config/index.ts';
import { redactSecrets, shorten } from '../util/index.ts';
import { expandText, type Variables } from './expand-texts.ts';
import { createLoginProvider } from './login-provider.ts';
import { ServerFailure } from './server-failure.ts';
import { readCertificates } from './server-certificates.ts';
import { createServerFetch } from './server-fetch.ts';
import { createTokenStore, type TokenStore } from './token-store.ts';

export type LoginHooks = {
  /** Listens for the browser; gives the address it is to come back to, and what it brings. */
  receive(
    state: string,
  ): Promise<{ redirectUrl: string; code: Promise<{ code: string; issuer?: string }>; close(): void }>;
  /** Shows the person where to go. */
  show(address: string): void;
};

export type LoginSurroundings = { variables: Variables; workingDirectory: string; tokensFolder: string };

/** Logging in at one server, and out again. */
export function createLogin(name: string, settings: McpServerSettings, surroundings: LoginSurroundings) {
  const { variables, workingDirectory, tokensFolder } = surroundings;
  const places = { workspaceFolder: workingDirectory };
  const url = () => {
    if (settings.url !== undefined) return expandText(settings.url, variables, places, `mcp_servers.${name}.url`);
    throw new ServerFailure('settings', `${name} is a program of this machine, and takes no login.`, {
      hint: `What it needs goes into mcp_servers.${name}.env.`,
    });
  };
  const store = (): TokenStore => createTokenStore(tokensFolder, name, url());
  return {
    /** Opens the way for the person, and waits until they have come back. */
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
        throw notLoggedIn(name, thrown);
      } finally {
        receiver.close();
        fetch.close();
      }
    },
    async isLoggedIn(): Promise<boolean> {
      return (await store().read()).tokens !== undefined;
    },
    /** Forgets the login; false where there was none. */
    forget: () => createTokenStore(tokensFolder, name, '').remove(),
  };
}

function notLoggedIn(name: string, thrown: unknown): HermesError {
  if (thrown instanceof HermesError) return thrown;
  const why = shorten(redactSecrets(errorMessage(thrown)), 300);
  return new ServerFailure('login', `The login at ${name} failed: ${why}`, {
    hint: `Try again with \`hermes mcp login ${name}\`; where the server takes no new programs, mcp_servers.${name}.oauth.client_id names one.`,
    cause: thrown,
  });
}
