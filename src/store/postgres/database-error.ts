import { ConfigurationError, errorMessage, HermesError } from '../../base/index.ts';

/** Of the server (five characters) or of the way to it (`ECONNREFUSED`, `CONNECT_TIMEOUT`). */
export function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : '';
}

const LOST_WAYS = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'NO_ANSWER',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  // A name that could be resolved before, or that a server in the making does not have yet.
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENOENT',
]);

/** The connection is gone, or there was none: nobody knows what became of what was sent last. */
export function isLost(thrown: unknown): boolean {
  const code = codeOf(thrown);
  // Class 08, and a server that stops or starts.
  return LOST_WAYS.has(code) || code.startsWith('08') || /^57P0[1-5]$/.test(code);
}

/** Others are in the way, and the same can work a moment later: conflicts, locks, connections that are all taken. */
export function isPassing(thrown: unknown): boolean {
  return isLost(thrown) || ['40001', '40P01', '55P03', '53300', '25P03'].includes(codeOf(thrown));
}

export function isDuplicate(thrown: unknown): boolean {
  return cameFrom(thrown, '23505');
}

export function isMissingReference(thrown: unknown): boolean {
  return cameFrom(thrown, '23503');
}

/** The error may have been put into words already; what it came from is then its cause. */
function cameFrom(thrown: unknown, code: string): boolean {
  return codeOf(thrown) === code || (thrown instanceof Error && codeOf(thrown.cause) === code);
}

/** There is no such table: nobody has been here before. */
export function isUndefinedTable(thrown: unknown): boolean {
  return codeOf(thrown) === '42P01' || codeOf(thrown) === '3F000';
}

/** `isSetting`: nothing works before something is set differently. */
type Explanation = { what: string; hint: string; isSetting?: true };

const ACCESS = 'Check user and password in storage.url or HERMES_DATABASE_URL, and whether the server lets them in.';
const ROOM = 'Make room there, then try again. What was stored before is safe.';

const EXPLANATIONS: Record<string, Explanation> = {
  '28P01': { what: 'refuses the password', hint: ACCESS, isSetting: true },
  '28000': { what: 'refuses the user', hint: ACCESS, isSetting: true },
  '3D000': {
    what: 'does not exist',
    hint: 'Create it (createdb NAME), or correct its name in the address.',
    isSetting: true,
  },
  '42501': {
    what: 'does not let this user do what is needed',
    hint: 'Its owner has to allow it: GRANT CREATE ON DATABASE … TO …, or give the schema "hermes" to the user.',
    isSetting: true,
  },
  '25006': { what: 'takes no changes: it is a copy for reading', hint: 'Give the address of the primary server.' },
  '53100': { what: 'cannot grow: its disk is full', hint: ROOM },
  '53200': { what: 'has no memory left', hint: 'Give the server more memory, then try again.' },
  '57014': {
    what: 'took longer than storage.statement_timeout allows',
    hint: 'Try again when it has less to do, or raise storage.statement_timeout.',
  },
  XX001: { what: 'is damaged', hint: 'Restore it from a backup of the server.' },
  XX002: { what: 'has a damaged index', hint: 'Build its indexes anew: REINDEX SCHEMA hermes;' },
};

/** Turns an error of the server or of the driver into one for the reader; errors of our own pass through unchanged. */
export function explainDatabaseError(thrown: unknown, place: string): unknown {
  if (thrown instanceof HermesError || !(thrown instanceof Error)) return thrown;
  const code = codeOf(thrown);
  const explanation = EXPLANATIONS[code];
  if (explanation !== undefined) {
    const { what, hint, isSetting } = explanation;
    const Kind = isSetting ? ConfigurationError : HermesError;
    return new Kind(`The ${place} ${what}.`, { hint, cause: thrown });
  }
  // Only the server's own words: they name tables and constraints, never the address.
  return code === '' || isLost(thrown)
    ? thrown
    : new HermesError(`The ${place} refuses: ${errorMessage(thrown)}.`, { cause: thrown });
}

export function unreachable(place: string, thrown: unknown, seconds?: number): HermesError {
  const waited = seconds === undefined ? '' : ` for ${seconds} s`;
  return new HermesError(`The ${place} cannot be reached${waited} (${wayOf(thrown)}); nothing was done.`, {
    hint: 'See that the server runs and that this machine may connect to it, then try again.',
    cause: thrown,
  });
}

export function stuck(place: string, thrown: unknown, seconds: number): HermesError {
  return new HermesError(
    `Others kept the ${place} busy for more than ${seconds} s; what was to be done was not done.`,
    {
      hint: 'Look for long transactions there (pg_stat_activity), and try again.',
      cause: thrown,
    },
  );
}

export function misconfigured(message: string, hint: string): ConfigurationError {
  return new ConfigurationError(message, { hint });
}

const WAYS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved',
  ENOENT: 'there is no such socket',
  CONNECT_TIMEOUT: 'it does not answer',
  NO_ANSWER: 'it does not answer any more',
  '57P01': 'it was stopped',
  '57P03': 'it is just starting or stopping',
  '53300': 'all its connections are taken',
};

function wayOf(thrown: unknown): string {
  return WAYS[codeOf(thrown)] ?? 'the connection was lost';
}
