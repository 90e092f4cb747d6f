import { randomBytes } from 'node:crypto';
import { errorMessage } from '../../base/index.ts';
import { LoginFailure, safeWords } from './login-failure.ts';
import type { Login } from './login-table.ts';
import { isLoopback, receiveRedirect, type RedirectReceiver } from './redirect-receiver.ts';
import type { Tokens } from './token-answer.ts';
import { createPkce, type LoginContext, type Pkce, required, sendFields, tokensOrThrow } from './token-request.ts';

export type CodeHooks = {
  /** Shows the address that the person has to open; `pasted` where the code has to be brought back by hand. */
  show(prompt: { address: string; pasted: boolean }): void;
  /** What the person pastes; left out where nobody can. Stops waiting at the signal. */
  askForCode?(signal: AbortSignal): Promise<string>;
};

/** Without an address of its own the browser is sent here, to a port that is free. */
const ANY_LOOPBACK = 'http://127.0.0.1/callback';
const MAX_WAIT_MS = 15 * 60_000;

type Begun = { state: string; pkce: Pkce; redirectUri: string };

/** Logs in through the browser: authorization code with PKCE, brought back by a redirect or by hand. */
export async function loginWithCode(login: Login, context: LoginContext, hooks: CodeHooks): Promise<Tokens> {
  // What is missing is said before a browser is opened.
  required(login, 'clientId', 'client_id');
  required(login, 'tokenUrl', 'token_url');
  const authorizeUrl = required(login, 'authorizeUrl', 'authorize_url');
  const state = randomBytes(24).toString('base64url');
  const address = login.redirectUri ?? ANY_LOOPBACK;
  const receiver = isLoopback(address) ? await openReceiver(login, address, state, hooks) : undefined;
  if (receiver === undefined && hooks.askForCode === undefined) throw nobodyPastes(login);
  try {
    const begun: Begun = { state, pkce: createPkce(), redirectUri: receiver?.redirectUri ?? address };
    hooks.show({ address: authorizeAddress(login, authorizeUrl, begun), pasted: receiver === undefined });
    const code = await waitForCode(login, receiver, begun, context, hooks);
    return await redeem(login, code, begun, context);
  } finally {
    receiver?.close();
  }
}

/** Where the port is taken, the code can still be pasted. */
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
    throw new LoginFailure('settings', `${login.name}: nothing can listen at ${address}: ${errorMessage(thrown)}.`, {
      hint: 'End the program that uses this port, or log in from a terminal, where the code can be pasted.',
    });
  }
}

function nobodyPastes(login: Login): LoginFailure {
  return new LoginFailure('settings', `The code of ${login.name} has to be pasted, and nobody is there to do it.`, {
    hint: `Run \`hermes auth add ${login.provider} --login\` in a terminal.`,
  });
}

function authorizeAddress(login: Login, authorizeUrl: string, { state, pkce, redirectUri }: Begun): string {
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

/** Whichever comes first: the browser, or what is pasted. */
async function waitForCode(
  login: Login,
  receiver: RedirectReceiver | undefined,
  begun: Begun,
  context: LoginContext,
  hooks: CodeHooks,
): Promise<string> {
  const done = new AbortController();
  const signal = context.signal === undefined ? done.signal : AbortSignal.any([done.signal, context.signal]);
  const ways: Promise<string>[] = [
    context.clock.sleep(MAX_WAIT_MS, signal).then(() => {
      throw new LoginFailure('expired', `Nobody came back from ${login.name} with a code.`, {
        hint: `Begin again with \`hermes auth add ${login.provider} --login\`.`,
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
    // Whatever else was waited for has no reader any more.
    for (const way of ways) way.catch(() => undefined);
  }
}

/** The code alone, the code with the state behind it, or the whole address the browser ended at. */
export function readPasted(login: Login, text: string, state: string): string {
  const pasted = text.trim();
  const url = /^https?:/.test(pasted) ? URL.parse(pasted) : null;
  const [code = '', given] =
    url === null ? pasted.split('#') : [url.searchParams.get('code') ?? '', url.searchParams.get('state') ?? ''];
  if (url?.searchParams.has('error')) refuse(login, url.searchParams.get('error') ?? '');
  if (code === '' || /\s/.test(code)) {
    throw new LoginFailure('settings', `${login.name}: there is no code in what was pasted.`, {
      hint: 'Copy the code, or the whole address of the page you were sent to.',
    });
  }
  if (given === undefined || given === state) return code;
  throw new LoginFailure('denied', `${login.name}: the code belongs to another login.`, {
    hint: `Begin again with \`hermes auth add ${login.provider} --login\`, and use the newest address.`,
  });
}

function refuse(login: Login, error: string): never {
  throw new LoginFailure('denied', `${login.name}: the login was refused (${safeWords(error, [])}).`);
}

async function redeem(login: Login, code: string, begun: Begun, context: LoginContext): Promise<Tokens> {
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
    throw new LoginFailure('denied', `${login.name} did not take the code; it may have been used or be too old.`, {
      hint: `Begin again with \`hermes auth add ${login.provider} --login\`.`,
    });
  }
}
