import { ConfigurationError } from '../../base/index.ts';

/** The location of a database, without secrets. */
export type DatabaseLocation = { host: string; port: string; database: string };

const HINT = 'Write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters encoded as %XX.';

/** Whether a text is the URL of a PostgreSQL database and not a file name. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text.trim());
}

/** Error messages never contain the text, because it may contain a password. */
export function parseDatabaseUrl(text: string): DatabaseLocation {
  const named = 'The database URL';
  if (!isDatabaseUrl(text)) throw new ConfigurationError(`${named} does not start with postgresql://.`, { hint: HINT });
  // PostgreSQL accepts several comma-separated hosts, which the URL class does not. A comma in a password does not
  // count.
  const several = /^(postgres(?:ql)?:\/\/(?:[^/]*@)?)([^@/?]*,[^@/?]*)(?=[/?]|$)/i.exec(text.trim());
  const readable = several === null ? text.trim() : text.trim().replace(several[2] ?? '', 'several');
  let url: URL;
  try {
    url = new URL(readable);
    decodeURIComponent(`${url.username}${url.password}${url.pathname}`);
  } catch {
    throw new ConfigurationError(`${named} is invalid.`, { hint: HINT });
  }
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '') throw new ConfigurationError(`${named} does not name a database.`, { hint: HINT });
  const host = several?.[2] ?? (url.hostname || url.searchParams.get('host') || 'localhost');
  return { host, port: url.port || (several === null ? '5432' : ''), database };
}

/** Formats the location for messages: `PostgreSQL database hermes at db.example:5432`. */
export function describeLocation({ host, port, database }: DatabaseLocation): string {
  return `PostgreSQL database ${database} at ${host}${port === '' ? '' : `:${port}`}`;
}
