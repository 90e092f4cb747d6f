import type { JsonValue } from '../../base/index.ts';
import { LoginFailure, redactMessage } from './login-failure.ts';
import type { Login } from './login-table.ts';
import { errorCode, errorDescription, readExpiry, textIn, type Tokens } from './token-response.ts';
import {
  createPkce,
  type LoginContext,
  type OAuthResponse,
  required,
  sendFields,
  tokensOrThrow,
} from './token-request.ts';

/** What the user has to do: open a URL and enter the code. */
export type DevicePrompt = { userCode: string; address: string; expiresAt: number };

type Device = DevicePrompt & { pollValue: string; intervalMs: number; verifier: string | undefined };

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const DEFAULT_INTERVAL_MS = 5_000;
const SLOWER_MS = 5_000;
const DEFAULT_LIFETIME_MS = 15 * 60_000;
/** How many consecutive requests may fail before the login is aborted. */
const MAX_FAILURES = 5;

/** Signs in with a code that the user enters elsewhere (RFC 8628). */
export async function loginWithDevice(
  login: Login,
  context: LoginContext,
  show: (prompt: DevicePrompt) => void,
): Promise<Tokens> {
  const device = await requestCode(login, context);
  show({ userCode: device.userCode, address: device.address, expiresAt: device.expiresAt });
  let { intervalMs } = device;
  let failures = 0;
  for (;;) {
    await context.clock.sleep(intervalMs, context.signal);
    if (context.clock.now() >= device.expiresAt) throw codeExpired(login);
    const answer = await poll(login, device, context).catch((thrown: unknown) => {
      failures += 1;
      if (!(thrown instanceof LoginFailure) || thrown.reason !== 'temporary' || failures > MAX_FAILURES) throw thrown;
      return undefined;
    });
    // The RFC requires an exponential back-off on timeouts.
    if (answer === undefined) intervalMs *= 2;
    else failures = 0;
    const code = answer && errorCode(answer.body);
    if (code === 'slow_down') intervalMs = slower(intervalMs, answer?.body['interval']);
    else if (answer !== undefined && code !== 'authorization_pending') return finish(login, answer, context, device);
  }
}

async function requestCode(login: Login, context: LoginContext): Promise<Device> {
  const url = required(login, 'deviceUrl', 'device_url');
  const pkce = login.devicePkce ? createPkce() : undefined;
  const fields = {
    client_id: required(login, 'clientId', 'client_id'),
    scope: login.scope,
    code_challenge: pkce?.challenge,
    code_challenge_method: pkce && 'S256',
  };
  const { status, body } = await sendFields(login, url, fields, context);
  const userCode = textIn(body, ['user_code']);
  const pollValue = textIn(body, [login.pollField ?? 'device_code']);
  const address = textIn(body, ['verification_uri_complete']) ?? textIn(body, ['verification_uri']);
  if (status >= 400 || userCode === undefined || pollValue === undefined || !isWebAddress(address)) {
    const words = redactMessage(errorDescription(body) ?? errorCode(body) ?? `HTTP ${status}`, []);
    throw new LoginFailure('settings', `${login.name} returned no login code: ${words}.`, {
      hint: `Check auth.${login.provider} (client_id, device_url) in config.yaml.`,
    });
  }
  const now = context.clock.now();
  const expiresAt = readExpiry(body['expires_in'] ?? body['expired_in'], now) ?? now + DEFAULT_LIFETIME_MS;
  const intervalMs = readInterval(body['interval']) ?? DEFAULT_INTERVAL_MS;
  return { userCode, address, pollValue, expiresAt, intervalMs, verifier: pkce?.verifier };
}

async function poll(login: Login, device: Device, context: LoginContext): Promise<OAuthResponse> {
  const fields = {
    grant_type: login.deviceGrant ?? DEVICE_GRANT,
    client_id: login.clientId,
    [login.pollField ?? 'device_code']: device.pollValue,
    code_verifier: device.verifier,
  };
  const answer = await sendFields(login, required(login, 'tokenUrl', 'token_url'), fields, context);
  if (answer.status < 500) return answer;
  throw new LoginFailure('temporary', `${login.name} responded with HTTP ${answer.status}.`, {
    hint: 'Try again later.',
  });
}

function finish(login: Login, answer: OAuthResponse, context: LoginContext, device: Device): Tokens {
  const code = errorCode(answer.body);
  // Some providers report an expired device code with `invalid_grant`, the error code for an expired refresh token.
  if (code === 'expired_token' || code === 'invalid_grant') throw codeExpired(login);
  return tokensOrThrow(login, answer, context, [device.pollValue, device.verifier]);
}

function codeExpired(login: Login): LoginFailure {
  return new LoginFailure('expired', `The code for ${login.name} expired before it was used.`, {
    hint: `Start again with \`hermes auth add ${login.provider} --login\`.`,
  });
}

function slower(intervalMs: number, asked: JsonValue | undefined): number {
  return Math.max(intervalMs + SLOWER_MS, readInterval(asked) ?? 0);
}

/**
 * Reads the polling interval. The RFC specifies seconds, but MiniMax sends milliseconds. Intervals of minutes do not
 * occur, so large values are milliseconds.
 */
function readInterval(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return undefined;
  return value >= 200 ? value : value * 1000;
}

function isWebAddress(address: string | undefined): address is string {
  return address !== undefined && /^https?:$/.test(URL.parse(address)?.protocol ?? '');
}
