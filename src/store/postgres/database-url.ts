import { ConfigurationError } from '../../base/index.ts';

/** Where a database is, without anything that must not be shown. */
export type DatabasePlace = { host: string; port: string; database: string };

const HINT = 'Write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX.';

/** Whether a text is meant as the address of a PostgreSQL, and not as a file. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text.trim());
}

/** The error never has the text in it: there may be a password in there. */
export function parseDatabaseUrl(text: string): DatabasePlace {
  const named = 'The address of the database';
  if (!isDatabaseUrl(text)) throw new ConfigurationError(`${named} does not begin with postgresql://.`, { hint: HINT });
  // Several hosts are possible, which a URL has no way to say. A password with a comma in it is none of them.
  const several = /^(postgres(?:ql)?:\/\/(?:[^/]*@)?)([^@/?]*,[^@/?]*)(?=[/?]|$)/i.exec(text.trim());
  const readable = several === null ? text.trim() : text.trim().replace(several[2] ?? '', 'several');
  let url: URL;
  try {
    url = new URL(readable);
    decodeURIComponent(`${url.username}${url.password}${url.pathname}`);
  } catch {
    throw new ConfigurationError(`${named} cannot be read.`, { hint: HINT });
  }
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '') throw new ConfigurationError(`${named} does not name a database.`, { hint: HINT });
  const host = several?.[2] ?? (url.hostname || url.searchParams.get('host') || 'localhost');
  return { host, port: url.port || (several === null ? '5432' : ''), database };
}

/** `PostgreSQL database hermes at db.example:5432`, as it stands in messages. */
export function describePlace({ host, port, database }: DatabasePlace): string {
  return `PostgreSQL database ${database} at ${host}${port === '' ? '' : `:${port}`}`;
}
