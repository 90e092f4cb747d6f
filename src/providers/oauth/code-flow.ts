import { randomBytes } from 'node:crypto';
import { errorMessage } from '../../base/index.ts';
import { LoginFailure, redactMessage } from './login-failure.ts';
import type { Login } from './login-table.ts';
import { isLoopback, receiveRedirect, type RedirectReceiver } from './redirect-receiver.ts';
import type { Tokens } from './token-response.ts';
import { createPkce, type LoginContext, type Pkce, required, sendFields, tokensOrThrow } from './token-request.ts';

export type CodeHooks = {
  /** Shows the URL to open; `pasted` if the user has to paste the code. */
  show(prompt: { address: string; pasted: boolean }): void;
  /** Asks the user to paste the code, until the signal aborts. Undefined if no user is present. */
  askForCode?(signal: AbortSignal): Promise<string>;
};

/** The default redirect URI, on a free port. */
const ANY_LOOPBACK = 'http://127.0.0.1/callback';
const MAX_WAIT_MS = 15 * 60_000;

type LoginAttempt = { state: string; pkce: Pkce; redirectUri: string };

/** Signs in through the browser: authorization code with PKCE, returned by a redirect or pasted. */
export async function loginWithCode(login: Login, context: LoginContext, hooks: CodeHooks): Promise<Tokens> {
  // Missing settings are reported before a browser is opened.
  required(login, 'clientId', 'client_id');
  required(login, 'tokenUrl', 'token_url');
  const authorizeUrl = required(login, 'authorizeUrl', 'authorize_url');
  const state = randomBytes(24).toString('base64url');
  const address = login.redirectUri ?? ANY_LOOPBACK;
  const receiver = isLoopback(address) ? await openReceiver(login, address, state, hooks) : undefined;
  if (receiver === undefined && hooks.askForCode === undefined) throw pastingImpossible(login);
  try {
    const begun: LoginAttempt = { state, pkce: createPkce(), redirectUri: receiver?.redirectUri ?? address };
    hooks.show({ address: authorizeAddress(login, authorizeUrl, begun), pasted: receiver === undefined });
    const code = await waitForCode(login, receiver, begun, context, hooks);
    return await redeem(login, code, begun, context);
  } finally {
    receiver?.close();
  }
}

/** If the port is in use, the code can still be pasted. */
async function openReceiver(
  login: Login,
  address: string,
  state: string,
  hooks: CodeHooks,
): Promise<RedirectReceiver | undefined> {
  try {
    return await receiveRedirect(address, state);
  } catch (thrown) {
    if (hooks.askForCode !== undefined) return undefined;
    throw new LoginFailure('settings', `${login.name}: could not listen on ${address}: ${errorMessage(thrown)}.`, {
      hint: 'Stop the program that uses this port, or sign in from a terminal, where you can paste the code.',
    });
  }
}

function pastingImpossible(login: Login): LoginFailure {
  return new LoginFailure(
    'settings',
    `Signing in at ${login.name} requires pasting a code, which is not possible here.`,
    {
      hint: `Run \`hermes auth add ${login.provider} --login\` in a terminal.`,
    },
  );
}

function authorizeAddress(login: Login, authorizeUrl: string, { state, pkce, redirectUri }: LoginAttempt): string {
  const url = new URL(authorizeUrl);
  const parameters = {
    response_type: 'code',
    client_id: login.clientId ?? '',
    redirect_uri: redirectUri,
    ...(login.scope === undefined ? {} : { scope: login.scope }),
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    state,
    ...login.authorizeParameters,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Waits for the redirect or the pasted code, whichever comes first. */
async function waitForCode(
  login: Login,
  receiver: RedirectReceiver | undefined,
  begun: LoginAttempt,
  context: LoginContext,
  hooks: CodeHooks,
): Promise<string> {
  const done = new AbortController();
  const signal = context.signal === undefined ? done.signal : AbortSignal.any([done.signal, context.signal]);
  const ways: Promise<string>[] = [
    context.clock.sleep(MAX_WAIT_MS, signal).then(() => {
      throw new LoginFailure('expired', `The login at ${login.name} timed out: no code was received.`, {
        hint: `Start again with \`hermes auth add ${login.provider} --login\`.`,
      });
    }),
  ];
  if (receiver) {
    ways.push(
      receiver.redirect.then((redirect) => ('code' in redirect ? redirect.code : refuse(login, redirect.error))),
    );
  }
  if (hooks.askForCode) ways.push(hooks.askForCode(signal).then((text) => readPasted(login, text, begun.state)));
  try {
    return await Promise.race(ways);
  } finally {
    done.abort(new Error('the login is over'));
    // Nothing awaits the other promises any more, so their rejections must be ignored here.
    for (const way of ways) way.catch(() => undefined);
  }
}

/** Accepts the code, the code followed by the state, or the whole redirect URL. */
export function readPasted(login: Login, text: string, state: string): string {
  const pasted = text.trim();
  const url = /^https?:/.test(pasted) ? URL.parse(pasted) : null;
  const [code = '', given] =
    url === null ? pasted.split('#') : [url.searchParams.get('code') ?? '', url.searchParams.get('state') ?? ''];
  if (url?.searchParams.has('error')) refuse(login, url.searchParams.get('error') ?? '');
  if (code === '' || /\s/.test(code)) {
    throw new LoginFailure('settings', `${login.name}: the pasted text contains no code.`, {
      hint: 'Copy the code, or the whole URL of the page you were redirected to.',
    });
  }
  if (given === undefined || given === state) return code;
  throw new LoginFailure('denied', `${login.name}: the code belongs to a different login attempt.`, {
    hint: `Start again with \`hermes auth add ${login.provider} --login\` and use the newest URL.`,
  });
}

function refuse(login: Login, error: string): never {
  throw new LoginFailure('denied', `${login.name}: the login was rejected (${redactMessage(error, [])}).`);
}

async function redeem(login: Login, code: string, begun: LoginAttempt, context: LoginContext): Promise<Tokens> {
  const fields = {
    grant_type: 'authorization_code',
    code,
    client_id: login.clientId,
    redirect_uri: begun.redirectUri,
    code_verifier: begun.pkce.verifier,
    state: login.sendState ? begun.state : undefined,
  };
  const answer = await sendFields(login, required(login, 'tokenUrl', 'token_url'), fields, context);
  try {
    return tokensOrThrow(login, answer, context, [code, begun.pkce.verifier]);
  } catch (thrown) {
    if (!(thrown instanceof LoginFailure) || thrown.reason !== 'ended') throw thrown;
    throw new LoginFailure(
      'denied',
      `${login.name} rejected the code; it may already have been used or have expired.`,
      {
        hint: `Start again with \`hermes auth add ${login.provider} --login\`.`,
      },
    );
  }
}
