import { ConfigurationError, errorMessage, HermesError } from '../../base/index.ts';

/**
 * The SQLSTATE of the server (five characters) or the code of a connection error (`ECONNREFUSED`, `CONNECT_TIMEOUT`).
 */
export function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : '';
}

const CONNECTION_ERROR_CODES = new Set([
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
  // Possibly transient: a DNS failure, or the host name or socket of a server that is still starting.
  'EAI_AGAIN',
  'ENOTFOUND',
  'ENOENT',
]);

/** The connection was lost or could not be opened: it is unknown whether the last statement was executed. */
export function isLost(thrown: unknown): boolean {
  const code = codeOf(thrown);
  // Class 08 contains connection exceptions; with 57P01 to 57P05 the server ended or refused the connection.
  return CONNECTION_ERROR_CODES.has(code) || code.startsWith('08') || /^57P0[1-5]$/.test(code);
}

/** Transient errors that a retry may resolve: conflicts, locks, no free connections, lost prepared statements. */
export function isTransient(thrown: unknown): boolean {
  const isPassing = ['40001', '40P01', '55P03', '53300', '25P03'].includes(codeOf(thrown));
  return isPassing || isLost(thrown) || isStatementLost(thrown);
}

/** A prepared statement does not exist, or exists already: a pooler switched the connection to the server. */
export function isStatementLost(thrown: unknown): boolean {
  return codeOf(thrown) === '26000' || codeOf(thrown) === '42P05';
}

export function isDuplicate(thrown: unknown): boolean {
  return hasCode(thrown, '23505');
}

export function isMissingReference(thrown: unknown): boolean {
  return hasCode(thrown, '23503');
}

/** The error may already have been explained; then its cause has the code. */
function hasCode(thrown: unknown, code: string): boolean {
  return codeOf(thrown) === code || (thrown instanceof Error && codeOf(thrown.cause) === code);
}

/** The table does not exist: the database has not been set up yet. */
export function isUndefinedTable(thrown: unknown): boolean {
  return codeOf(thrown) === '42P01' || codeOf(thrown) === '3F000';
}

/** `isSetting`: the error is caused by the configuration. */
type Explanation = { what: string; hint: string; isSetting?: true };

const ACCESS =
  'Check the user and password in storage.url or HERMES_DATABASE_URL, and whether the server allows them to connect.';
const ROOM = 'Free up disk space on the server, then try again. Everything stored before is safe.';

const EXPLANATIONS: Record<string, Explanation> = {
  '28P01': { what: 'rejects the password', hint: ACCESS, isSetting: true },
  '28000': { what: 'rejects the user', hint: ACCESS, isSetting: true },
  '3D000': {
    what: 'does not exist',
    hint: 'Create it (createdb NAME), or correct its name in the URL.',
    isSetting: true,
  },
  '42501': {
    what: 'does not grant this user the required privileges',
    hint: 'Ask its owner to run GRANT CREATE ON DATABASE … TO …, or to give the user the schema "hermes".',
    isSetting: true,
  },
  '25006': { what: 'is a read-only replica', hint: 'Use the URL of the primary server.' },
  '53100': { what: 'cannot grow: its disk is full', hint: ROOM },
  '53200': { what: 'is out of memory', hint: 'Give the server more memory, then try again.' },
  '57014': {
    what: 'exceeded storage.statement_timeout',
    hint: 'Try again when the server is less busy, or increase storage.statement_timeout.',
  },
  XX001: { what: 'is corrupt', hint: 'Restore it from a backup of the server.' },
  XX002: { what: 'has a corrupt index', hint: 'Rebuild its indexes with: REINDEX SCHEMA hermes;' },
};

/** Turns an error of the server or the driver into a readable one; our own errors are returned unchanged. */
export function explainDatabaseError(thrown: unknown, location: string): unknown {
  if (thrown instanceof HermesError || !(thrown instanceof Error)) return thrown;
  const code = codeOf(thrown);
  const explanation = EXPLANATIONS[code];
  if (explanation !== undefined) {
    const { what, hint, isSetting } = explanation;
    const Kind = isSetting ? ConfigurationError : HermesError;
    return new Kind(`The ${location} ${what}.`, { hint, cause: thrown });
  }
  // The server's message names tables and constraints, but never contains the URL.
  return code === '' || isLost(thrown)
    ? thrown
    : new HermesError(`The ${location} reported an error: ${errorMessage(thrown)}.`, { cause: thrown });
}

export function unreachable(location: string, thrown: unknown, seconds?: number): HermesError {
  const waited = seconds === undefined ? '' : ` within ${seconds} s`;
  return new HermesError(
    `The ${location} could not be reached${waited} (${connectionErrorReason(thrown)}); nothing was done.`,
    {
      hint: 'Check that the server is running and that this machine can connect to it, then try again.',
      cause: thrown,
    },
  );
}

export function busyTooLong(location: string, thrown: unknown, seconds: number): HermesError {
  return new HermesError(`The ${location} was busy for more than ${seconds} s; the operation was not carried out.`, {
    hint: 'Look for long transactions in pg_stat_activity, then try again.',
    cause: thrown,
  });
}

export function misconfigured(message: string, hint: string): ConfigurationError {
  return new ConfigurationError(message, { hint });
}

const CONNECTION_ERROR_REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name could not be resolved',
  ENOENT: 'socket not found',
  CONNECT_TIMEOUT: 'connection timed out',
  NO_ANSWER: 'the server stopped responding',
  '57P01': 'the server was shut down',
  '57P03': 'the server is starting or shutting down',
  '53300': 'too many connections',
};

function connectionErrorReason(thrown: unknown): string {
  return CONNECTION_ERROR_REASONS[codeOf(thrown)] ?? 'connection lost';
}
