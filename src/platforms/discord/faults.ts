import { isJsonObject, type JsonValue } from '../../base/index.ts';
import { ChannelError, type ChannelFault } from '../../contracts/index.ts';

/** Errors that Discord reports by number. */
const CODES: Readonly<Record<number, ChannelFault>> = {
  10_003: 'not_found',
  10_004: 'not_found',
  10_008: 'not_found',
  10_062: 'not_found',
  10_015: 'not_found',
  40_005: 'too_long',
  50_001: 'forbidden',
  50_007: 'forbidden',
  50_013: 'forbidden',
  50_083: 'forbidden',
  50_278: 'forbidden',
  50_006: 'bad_format',
  50_109: 'bad_format',
};

/** The fault of a response with an error. `isRepeatable`: doing it twice is the same as doing it once. */
export function faultOf(status: number, code: number, isRepeatable: boolean): ChannelFault {
  if (status === 401) return 'fatal';
  if (status === 429) return 'rate_limited';
  if (status === 413) return 'too_long';
  // A proxy that got no answer does not know what Discord's server did.
  if (status === 504) return isRepeatable ? 'transient' : 'uncertain';
  if (status >= 500) return 'transient';
  const known = CODES[code];
  if (known !== undefined) return known;
  if (status === 403) return 'forbidden';
  return status === 404 ? 'not_found' : 'rejected';
}

/** The fault of an invalid field: a text that is too long, or something else. */
export function fieldFault(errors: JsonValue | undefined): ChannelFault {
  return JSON.stringify(errors ?? null).includes('_MAX_LENGTH') ? 'too_long' : 'bad_format';
}

const PORTAL = 'https://discord.com/developers/applications';

/** Codes with which Discord closes a connection and that a new connection would not change. */
const FATAL: Readonly<Record<number, { message: string; hint: string }>> = {
  4004: {
    message: 'Discord does not accept the token of the bot.',
    hint: `The token was reset or is wrong. Get the current one at ${PORTAL}.`,
  },
  4010: { message: 'Discord rejected the shard of the bot.', hint: 'Report this as a bug of Hermes.' },
  4011: {
    message: 'The bot is in too many servers for one connection.',
    hint: 'Discord requires sharding from 2,500 servers on, which Hermes does not support.',
  },
  4012: { message: 'Discord no longer supports the version of its gateway that Hermes uses.', hint: 'Update Hermes.' },
  4013: { message: 'Discord rejected the intents of the bot.', hint: 'Report this as a bug of Hermes.' },
  4014: {
    message: 'Discord does not let the bot read messages.',
    hint: `Enable “Message Content Intent” of the bot at ${PORTAL}.`,
  },
};

/** After these codes the session cannot be resumed. */
const SESSION_LOST: readonly number[] = [4003, 4007, 4009];

export function isSessionLost(code: number): boolean {
  return SESSION_LOST.includes(code);
}

/** The error of a connection that Discord closed. */
export function closedError(code: number): ChannelError {
  const fatal = FATAL[code];
  if (fatal !== undefined) return new ChannelError('fatal', fatal.message, { hint: fatal.hint });
  return new ChannelError('transient', `Discord closed the connection (code ${code}).`);
}

/** The fault and the message of an error that Discord describes. */
export function readApiError(
  error: { status: number; code: string | number; message: string; rawError?: unknown },
  isRepeatable: boolean,
): { fault: ChannelFault; message: string } {
  const code = Number(error.code);
  const raw = error.rawError as JsonValue | undefined;
  const errors = isJsonObject(raw) ? raw['errors'] : undefined;
  const fault = code === 50_035 ? fieldFault(errors) : faultOf(error.status, code, isRepeatable);
  return { fault, message: error.message.replaceAll(/\s+/g, ' ').slice(0, 300) };
}
