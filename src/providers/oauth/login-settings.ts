import type { EnvironmentVariables, LoginOverrides } from '../../config/index.ts';

/** Turns the token of a login into the short-lived one that the endpoint takes. */
export type ExchangeSettings = {
  method: 'GET' | 'POST';
  url: string;
  body?: Readonly<Record<string, number | string>>;
  secretField: string;
  expiryField: string;
  /** Where the answer names the address to talk to, and the hosts that it may name: this one and those below it. */
  baseUrlPath?: readonly string[];
  baseUrlHost?: string;
};

/** Everything that makes the login of one provider different from another's. A new one is a new row. */
export type LoginSettings = Omit<LoginOverrides, 'exchangeUrl'> & {
  /** As people know it. */
  name: string;
  /** `device`: a code is typed in elsewhere. `code`: the browser brings a code back, or the person pastes it. */
  flow: 'device' | 'code';
  bodyFormat?: 'form' | 'json';
  /** Device flows that ask for PKCE as well. */
  devicePkce?: boolean;
  deviceGrant?: string;
  /** What the device asks with until it is let in; `device_code` by the standard. */
  pollField?: 'device_code' | 'user_code';
  authorizeParameters?: Readonly<Record<string, string>>;
  /** The token endpoint wants to see the state again. */
  sendState?: boolean;
  /** Go with the token of a login, to the hosts of the provider only. */
  headers?: Readonly<Record<string, string>>;
  /** The header that names the account, and where the claims of a token name it. */
  accountHeader?: string;
  accountClaim?: readonly string[];
  exchange?: ExchangeSettings;
};

/** A row together with the provider it is for, which messages and auth.json name. */
export type Login = LoginSettings & {
  provider: string;
  /** The environment, for the way to its hosts. */
  variables?: EnvironmentVariables;
};
