import { targetPath } from '../files/command-paths.ts';
import { SECRET_RULE } from '../files/secrets.ts';
import { optionValues } from '../shell/shell-command.ts';
import { isInterpreter } from '../shell/script-files.ts';
import { SHELLS } from '../shell/wrappers.ts';
import type { CommandRule } from './rule.ts';
import { takesAnyWord } from './unknown-programs.ts';

const CLIENTS =
  /^(?:psql|mysql|mariadb|sqlite3?|duckdb|sqlcmd|clickhouse(?:-client)?|cockroach|bq|mycli|pgcli|litecli|usql|cqlsh|snowsql|sqlplus|influx|ksql|mysqlsh|spark-sql|athenacli|crsh|ysqlsh|dsqlsh|edgedb|gel|osqueryi|trino|presto|hive|beeline|impala-shell|isql|surreal|turso|wp|d1|wrangler|supabase|rails|heroku)$/;

const SQL_SUBCOMMAND =
  /^(?:dbshell|dbconsole|db:(?:console|query|execute|sql|shell)|sql-query|sql:query|sqlq|sql-cli|pg:psql|dbal:run-sql|doctrine:query:sql|execute|db-execute)$/;
/** Grants on everything or to everyone. */
const GRANTS =
  /\bgrant\b[^;]*(?:\bon \*\.\*|\bwith grant option|\bto public\b|@'%')|\b(?:create|alter) (?:user|role)\b[^;]*\bsuperuser\b/i;

/** Databases that are changed with requests, by their usual ports, and addresses of everything in one. */
const DATABASE_ADDRESS =
  /:(?:9200|9300|5984|8086|6333|8500|2379|8529|7474|8091|8983|19530|8080\/v1\/schema)(?:\/|$)|\/(?:_all|\*)(?:\?|$)|[?&]recurse\b/;

/** A string literal with a statement that destroys something. */
const GENERATES = /'[^']*\b(?:drop|truncate|delete from|alter) [^']*'/i;
/** Where databases keep the hashes of passwords. */
const PASSWORD_TABLE =
  /\bpg_(?:authid|shadow)\b|\b(?:authentication_string|password_hash|plugin_auth)\b[\s\S]*\bmysql\.user\b|\bmysql\.user\b[\s\S]*\bpassword\b|\bsys\.sql_logins\b|\bsys\.user\$/i;

/** Columns and tables in which applications keep passwords and keys. */
const SECRET_COLUMN =
  /\bselect\b(?:(?!\b(?:count|length|max|min|where)\b)[^;]){0,300}\b(?:encrypted_password|password_?(?:hash|digest)|hashed_password|passwd|totp_secret|otp_secret|api_?keys?|access_tokens?|refresh_tokens?|client_secret|private_key)\b[^;]{0,300}\bfrom\b|\bselect\s+\*\s+from\s+(?:\w+\.)?(?:api_tokens|api_keys|access_tokens|oauth_\w*tokens|oauth_clients|personal_access_tokens|secrets|credentials)\b/i;

const DESTROYING_FILE = /(?:^|[/_.-])(?:drop|delete|truncate|wipe|destroy|purge|teardown)(?:[_.-][\w.-]*)?\.sql$/i;

/** Destructive database operations, through clients and frameworks. */
export const DATABASE_RULES: readonly CommandRule[] = [
  {
    rule: 'destructive SQL',
    commands: CLIENTS,
    // The shell on another machine splits a statement into words unless it is quoted twice.
    when: ({ args, input, remote }) =>
      [...args, input ?? '', ...(remote === 'machine' ? [args.join(' ').replace(/^.*?(?:-c|-e|-Q)\s/, '')] : [])].some(
        isDestructiveSql,
      ),
  },
  // Frameworks that pass their arguments or their input to the client of the database.
  {
    rule: 'destructive SQL',
    when: ({ args, input, suspected }) =>
      !suspected && args.some((arg) => SQL_SUBCOMMAND.test(arg)) && [...args, input ?? ''].some(isDestructiveSql),
  },
  // Services that take SQL with an option: `aws athena start-query-execution --query-string …`.
  {
    rule: 'destructive SQL',
    when: ({ args, suspected }) =>
      !suspected && optionValues(args, /^--(?:query-string|sqls?|sql-\w+|statements?)=?(.*)$/s).some(isDestructiveSql),
  },
  // Clients that no list names: an option whose value begins like a statement.
  {
    rule: 'destructive SQL',
    when: ({ name, args, suspected }) =>
      !suspected &&
      !takesAnyWord(name) &&
      !SHELLS.has(name) &&
      !isInterpreter(name) &&
      optionValues(args, /^(?:-[a-zA-Z]?[qQecs]|--(?:query|execute|command|sql|statement|run)=?)(.*)$/s).some(
        (text) => /^\s*(?:drop|truncate|delete\s+from|alter|update|grant)\s/i.test(text) && isDestructiveSql(text),
      ),
  },
  // A file that is missing, or is on another machine, cannot be read, so its name has to do.
  {
    rule: 'destructive SQL',
    commands: CLIENTS,
    byArguments: true,
    when: (command, { disk }) => {
      const given = command.redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
      return [...optionValues(command.args, /^(?:-f|--file=?)(.*)$/), ...given].some((file) => {
        const path = DESTROYING_FILE.test(file) ? targetPath(file, command) : undefined;
        return path !== undefined && !disk.isFile(path);
      });
    },
  },
  // Statements that another statement generates, and those in a request.
  {
    rule: 'destructive SQL',
    commands: CLIENTS,
    aboutInput: true,
    when: ({ args, input, fedBy }) => {
      const runsResult = [...args, input ?? ''].some((text) => /\\gexec\b/.test(text));
      const sources = fedBy.filter(({ name }) => CLIENTS.test(name)).flatMap((source) => source.args);
      return [...sources, ...(runsResult ? [...args, input ?? ''] : [])].some((text) => GENERATES.test(text));
    },
  },
  {
    rule: 'destructive SQL',
    commands: /^(?:curl|wget|https?|xh|xhs)$/,
    byArguments: true,
    when: ({ args, suspected }) =>
      !suspected &&
      optionValues(args, /^(?:-[a-zA-Z]*d|--(?:data(?:-binary|-raw|-urlencode)?|post-data|raw)=?)(.*)$/s).some(
        (text) => /^(?:query=)?\s*(?:drop|truncate|delete\s+from|alter)\s/i.test(text) && isDestructiveSql(text),
      ),
  },
  {
    rule: SECRET_RULE,
    commands: CLIENTS,
    when: ({ args, input }) => [...args, input ?? ''].some(holdsSecrets),
  },
  {
    rule: SECRET_RULE,
    commands: ['mongo', 'mongosh'],
    byArguments: true,
    when: ({ args, input }) => [...args, input ?? ''].some((text) => /showCredentials\s*:\s*(?:true|1)/.test(text)),
  },
  {
    rule: 'change users or permissions',
    commands: CLIENTS,
    when: ({ args, input }) => [...args, input ?? ''].some((sql) => GRANTS.test(sql.slice(0, 10_000))),
  },
  // The program runs on the database server, with the permissions of the server.
  {
    rule: 'run a program from a database',
    commands: CLIENTS,
    when: ({ args, input }) =>
      [...args, input ?? ''].some((sql) => /\b(?:to|from)\s+program\s+'|\bxp_cmdshell\b|\bsys_exec\s*\(/i.test(sql)),
  },
  {
    rule: 'delete a database',
    commands:
      'dropdb dropuser mysqladmin mongo mongosh redis-cli valkey-cli etcdctl consul pg_restore pg_dropcluster'.split(
        ' ',
      ),
    when: ({ name, args, input }) => {
      const text = [...args, input ?? ''].join(' ');
      if (/^(?:dropdb|dropuser|pg_dropcluster)$/.test(name)) return !/--help/.test(text);
      if (name.startsWith('mongo'))
        return /\.(?:dropDatabase|drop|dropIndexes|dropUser)\s*\(|\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)|\.updateMany\s*\(\s*\{\s*\}/.test(
          text,
        );
      if (name.endsWith('-cli'))
        return (
          // The keys to delete come from stdin, for example through xargs.
          /^(?:del|unlink)$/i.test(args.at(-1) ?? '') ||
          /\b(?:flushall|flushdb|shutdown|debug\s+segfault|config\s+set)\b/i.test(text) ||
          /\bdel\b[^|]*\*/i.test(text)
        );
      if (name === 'pg_restore') return /(?:^|\s)(?:-c|--clean)\b/.test(text);
      return /\b(?:drop|delete -recurse|kv delete -recurse)\b|\bdel\b.*--(?:prefix|from-key)/.test(text);
    },
  },
  {
    rule: 'delete a database',
    // The reset commands of frameworks and migration tools.
    when: ({ name, args, suspected, variables }) =>
      !suspected &&
      ![...variables, ...args].some((one) => /^(?:RAILS|RACK|MIX|APP|NODE|DJANGO)_ENV=["']?test\b/.test(one)) &&
      (args.some((arg) =>
        /^(?:db:(?:drop|reset|wipe|purge|truncate_all|schema:load|migrate:reset)(?::\w+)?|migrate:(?:fresh|reset|refresh)|ecto\.(?:drop|reset)|doctrine:fixtures:load|doctrine:(?:database|schema):drop|pg:reset|reset_db|sqlflush|--force-reset|ecto\.drop)$/.test(
          arg,
        ),
      ) ||
        /(?:^|\s)(?:migrate reset|migrate \w+ zero|database (?:drop|reset)|manage\.py flush|db reset|db drop|migrate:rollback --all|downgrade base|(?:db|alembic) downgrade|ef database update 0|db:rollback|db:migrate:(?:undo|down)(?::all)?|migrate:(?:rollback|down|undo)|migrations?:(?:revert|rollback|down)|migrat(?:e|ion) (?:revert|down|rollback|redo)|ecto\.rollback|dbmate (?:\S+ )*(?:down|rollback)|clean_database|drizzle-kit drop|ecto\.rollback --all|flyway clean|liquibase (?:dropAll|drop-all)|schema:drop|goose (?:\S+ )*(?:reset|down|down-to|redo)|dbmate drop|atlas schema clean|sqitch revert|typeorm (?:\S+ )*schema:drop)(?:\s|$)/.test(
          [name, ...args.slice(0, 6).filter((arg) => !/\s/.test(arg))].join(' '),
        )),
  },
  {
    rule: 'delete a database',
    commands: ['curl', 'http', 'xh', 'wget'],
    when: ({ args }) =>
      (/DELETE\b/.test(args.join(' ')) && args.some((arg) => !/\s/.test(arg) && DATABASE_ADDRESS.test(arg))) ||
      args.some((arg) => /\/(?:_delete_by_query|_flush_all|_cluster\/reroute|_nodes\/shutdown)\b/.test(arg)),
  },
  // The plain protocols of caches: `echo flush_all | nc host 11211`.
  {
    rule: 'delete a database',
    commands: ['nc', 'ncat', 'netcat', 'socat', 'telnet'],
    byArguments: true,
    aboutInput: true,
    when: ({ input }) => /^\s*(?:flush_?all|flushdb|shutdown|delete |drop |config set )/im.test(input ?? ''),
  },
];

const holdsSecrets = (sql: string) =>
  PASSWORD_TABLE.test(sql.slice(0, 10_000)) || SECRET_COLUMN.test(sql.slice(0, 2000));

/**
 * Whether a statement drops objects or deletes or updates rows without a condition. String literals and comments are
 * ignored.
 */
export function isDestructiveSql(sql: string): boolean {
  const bare = sql
    .slice(0, 50_000)
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, "''");
  return bare.split(/;|\\g\b/).some((statement) => {
    const text = statement.replace(/\s+/g, ' ').trim();
    if (
      /^(?:.*\s)?drop (?:table|database|schema|view|index|user|role|keyspace|measurement|collection|column|function|trigger|sequence|owned|extension|type|materialized|tablespace|dictionary|publication|subscription|policy|server|foreign|aggregate|domain|event|procedure|partition|constraint|rule|operator|cast|language|transform|statistics|macro|secret|stream|task|stage|warehouse|share|pipe|quota|resource|cluster|service|external|temporary|global)\b/i.test(
        text,
      )
    )
      return !/^(?:create|select|insert|comment)\b/i.test(text) || /\balter\b/i.test(text);
    if (/^(?:.*\s)?truncate (?:table )?\S/i.test(text) && !/^(?:select|create|insert|alter)\b/i.test(text)) return true;
    if (/^alter table \S+.* drop\b/i.test(text) || ADMINISTERS.test(text)) return true;
    return changesAllRows(text);
  });
}

/** Conditions that every row meets, alone or joined with `or`, and those about a key that is never negative or null. */
const ALWAYS_TRUE =
  /(?:^|\bor\b)\s*\(?\s*(?:(\d+)\s*=\s*\1\b|true\b|1\s*$|''\s*=\s*''|not false|1\s*<\s*2|2\s*>\s*1|\w*id\s*(?:>=?\s*-?[01]\b|<>\s*-?[01]\b|!=\s*-?[01]\b|is not null|=\s*\w*id\b|like ''))\s*\)?\s*(?:$|\bor\b)/i;

/** Statements that switch protections off, end connections, delete logs, or change accounts and the server. */
const ADMINISTERS =
  /^(?:alter system\b|reset (?:master|slave|replica|binary logs|query cache)|purge (?:binary|master) logs|shutdown\b|(?:rename|detach|undrop) (?:table|database|user)\b|set (?:global|persist) (?:read_only|super_read_only|general_log|foreign_key_checks|sql_log_bin|local_infile)|alter (?:user|role|login) \S+.*\b(?:password|identified|superuser|unlock|nologin)|set password\b|alter table \S+.*\b(?:disable row level security|disable trigger|no force row level|delete where|clear column)|flush (?:tables with read lock|privileges)|kill (?:connection |query )?\d|optimize table \S+ final|system (?:stop|drop|shutdown|kill)|backup log .* no_log|dbcc (?:shrink|dropclean|freeproc)|use master;? *restore|restore database|revoke all|stop (?:slave|replica)|change (?:master|replication source)|exec(?:ute)? sp_(?:configure|addlogin|addsrvrolemember)|lock tables? .* write)|\bpg_(?:terminate_backend|cancel_backend|reload_conf|drop_replication_slot|promote|switch_wal|rotate_logfile|file_write|read_file|ls_dir|read_binary_file|stat_reset\w*)\s*\(|\blo_(?:unlink|export|import)\s*\(|\bload_file\s*\(|\binto (?:out|dump)file\b|\bexecute\s+''/i;

/** `delete` and `update` without a condition, or with one that is always true. */
function changesAllRows(text: string): boolean {
  const changes = /(?:^|\s|\()(?:delete from [\w."`[\]]+|update [\w."`[\]]+ set )/i.test(text);
  if (!changes || /^(?:create|select|explain (?!analyze))\b/i.test(text)) return false;
  const condition = /\bwhere\b(.*)$/i.exec(text)?.[1];
  if (condition === undefined) return !/\blimit \d/i.test(text);
  return ALWAYS_TRUE.test(condition) || deletesRange(text, condition);
}

/** Tables of which old rows are usually deleted. */
const TRANSIENT =
  /session|cart|cache|token|log|job|queue|event|tmp|temp|expir|lock|attempt|notif|otp|draft|history|metric|trace|stat|nonce|visit|import|archive|stag|test/i;

/** `delete from orders where created_at < …`: nobody sees how many rows that are. */
function deletesRange(text: string, condition: string): boolean {
  const table = /\bdelete from ([\w."`[\]]+)/i.exec(text)?.[1] ?? '';
  const isRange =
    /[<>](?!=?\s*-?\d+\s*$)|\bbetween\b|\bnot (?:in|like|exists)\b|\blike '%|\bis (?:not )?null\b|!=/i.test(condition);
  const isOne = /\b\w*id\s*=/i.test(condition);
  return table !== '' && isRange && !isOne && !TRANSIENT.test(table) && !/\blimit \d/i.test(text);
}
