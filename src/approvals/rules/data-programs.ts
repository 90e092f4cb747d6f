import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

/** Backup programs, and the arguments with which they delete backups. */
const BACKUPS: readonly ProgramRow[] = [
  {
    programs: 'restic',
    asks: /(?:^|\s)(?:forget|prune|unlock|rewrite|repair|key (?:remove|passwd)|tag --(?:remove|set))\b/,
  },
  {
    programs: 'borg',
    asks: /(?:^|\s)(?:delete|prune|compact|recreate|key (?:change|import)\S*|break-lock|rename|config \S+ \S+ \S+)\b/,
  },
  { programs: 'borgmatic', asks: /(?:^|\s)(?:prune|compact|delete|break-lock)\b/ },
  { programs: 'duplicity duply', asks: /(?:^|\s)(?:remove-\S+|cleanup|purge\S*)\b/ },
  {
    programs: 'kopia',
    asks: /(?:^|\s)(?:snapshot (?:delete|expire)|repository (?:change-password|disconnect)|maintenance run|blob delete|content delete|policy delete)\b/,
  },
  { programs: 'rdiff-backup', asks: /--(?:remove-older-than|force)\b|^remove\b/ },
  { programs: 'tarsnap', asks: /(?:^|\s)-\w*d\b|--(?:nuke|delete)/ },
  { programs: 'snapper', asks: /(?:^|\s)(?:delete|remove|rm|cleanup|rollback|undochange|delete-config)\b/ },
  { programs: 'timeshift', asks: /--(?:delete\S*|restore)\b/ },
  { programs: 'bup', asks: /^(?:rm|gc|prune-older)\b/ },
  { programs: 'tmutil', asks: /^(?:delete\S*|disable|removedestination|thinlocalsnapshots|inheritbackup)\b/ },
  { programs: 'wal-g pgbackrest barman', asks: /(?:^|\s)(?:delete|expire|stanza-delete|stop|restore|switch-wal)\b/ },
  { programs: 'azcopy', asks: /^(?:remove|rm)\b|--delete-destination[= ]?(?:true|prompt|$)/ },
  {
    programs: 'b2',
    asks: /^(?:delete-\S+|bucket (?:delete|update)|rm|hide-file|file (?:hide|delete|unhide)|key (?:delete|create)|update-bucket|sync\b.*--delete|cancel-\S+)\b/,
  },
  {
    programs: 'hdfs hadoop',
    asks: /-(?:rm|rmr|rmdir|expunge|truncate|setrep|chmod|chown|mv|deleteSnapshot)\b|-format\b/,
  },
  { programs: 'git-annex', asks: /^(?:drop|dead|unannex|uninit|forget)\b/ },
  { programs: 'dvc', asks: /^(?:gc|destroy|remove|remote remove)\b/ },
  { programs: 'ipfs', asks: /^(?:pin rm|repo gc|files rm|key rm|shutdown)\b/ },
];

/** Databases, and the arguments with which their programs destroy data or stop the server. */
const DATABASES: readonly ProgramRow[] = [
  { programs: 'flyway', asks: /(?:^|\s)(?:clean|undo|repair)\b/ },
  {
    programs: 'airflow',
    asks: /^(?:db (?:reset|clean|downgrade)|(?:dags|tasks|pools|variables|connections|users) (?:delete|clear|remove-role))\b/,
  },
  {
    programs: 'celery',
    asks: /(?:^|\s)(?:purge|control (?:shutdown|revoke|terminate)|amqp queue\.(?:delete|purge))\b/,
  },
  { programs: 'rq sidekiqctl sidekiq-ctl resque', asks: /^(?:empty|stop|quiet|kill|clear)\b/ },
  { programs: 'kcat kafkacat', asks: /(?:^|\s)-\w*Z/ },
  { programs: 'influxd pgbench', asks: /^restore\b|(?:^|\s)-\w*i\b/ },
  { programs: 'tarantoolctl tt', asks: /\b(?:truncate|drop|delete)\s*\(/ },
  { programs: 'magento craft', asks: /(?:setup:(?:rollback|uninstall)|db\/restore)/ },
  { programs: 'mysqladmin mariadb-admin', asks: /(?:^|\s)(?:shutdown|drop|password|kill|flush-privileges|stop-\w+)\b/ },
  {
    programs: 'mongosh mongo',
    asks: /\b(?:shutdown|shutdownServer|dropDatabase|dropUser|dropAllUsers\w*|dropRole|fsyncLock|replSet\w+|removeShard|killOp|setUserRole)\b|\brs\.(?:reconfig|remove|stepDown)|\.(?:deleteMany|remove)\s*\((?!\s*\{\s*["']?_id["']?\s*:)/,
  },
  { programs: 'mongorestore mongoimport', asks: /--drop\b/ },
  {
    programs: 'redis-cli valkey-cli keydb-cli',
    asks: /(?:^|\s)(?:flushall|flushdb|shutdown|script flush|function flush|cluster (?:reset|failover|forget|delslots|flushslots)|debug\b|slaveof|replicaof|acl (?:setuser|deluser|load)|config (?:set|rewrite)|swapdb|migrate|failover|module (?:load|unload)|client (?:kill|pause)|xtrim|ltrim|restore)(?:\s|$)/i,
  },
  { programs: 'memcached-tool memcdump memcflush', asks: /\bflush|^/, unless: /\b(?:stats|display|settings|dump)\b/ },
  {
    programs: 'cypher-shell',
    asks: /\b(?:detach\s+delete|delete\s+\w|drop\s+(?:database|index|constraint|user|role|alias)|remove\s+\w|grant\b|alter\s+user|stop\s+database)/i,
  },
  {
    programs: 'neo4j-admin',
    asks: /(?:^|\s)(?:load|restore|import|set-initial-password|unbind|memrec --force|delete)\b/,
  },
  { programs: 'arangosh', asks: /_drop|\.(?:drop|truncate|removeByExample)\s*\(/ },
  {
    programs: 'couchbase-cli cbc',
    asks: /(?:bucket-(?:flush|delete|edit)|server-\S*|failover|rebalance|user-manage|reset-\S+|rm\b)/,
  },
  {
    programs: 'nodetool',
    asks: /^(?:-\S+ \S+ )*(?:decommission|removenode|clearsnapshot|drain|assassinate|truncatehints|disable\S*|stopdaemon|move|rebuild|scrub|garbagecollect|resetlocalschema)\b/,
  },
  {
    programs: 'sqlite-utils',
    asks: /^(?:drop-\S+|delete|transform|query\b.*\b(?:delete|drop|update)\b|duplicate --force)/i,
  },
  { programs: 'sqlite3', asks: /(?:^|\s)\.(?:restore|clone)\b|pragma\s+writable_schema/i },
  { programs: 'pg_resetwal pg_resetxlog pg_upgradecluster pg_rewind', asks: /\S/ },
  { programs: 'initdb', asks: /\S/ },
  { programs: 'pg_ctl pg_ctlcluster', asks: /(?:^|\s)(?:stop|promote|kill|initdb|restart)\b/ },
  { programs: 'bcp', asks: /\sin\s/ },
  { programs: 'spark-sql athenacli flink-sql', asks: /\b(?:drop|truncate|delete\s+from)\b/i },
  { programs: 'migrate', asks: /(?:^|\s)(?:drop|force|down(?:\s+-all)?)(?:\s|$)/ },
  { programs: 'drizzle-kit', asks: /^(?:push\b.*--force|drop)\b/ },
  { programs: 'hasura', asks: /^(?:metadata clear|migrate (?:delete|squash|apply\b.*--down)|seed apply)\b/ },
  {
    programs: 'knex sequelize sequelize-cli typeorm mikro-orm',
    asks: /(?:migrate:rollback\b.*--all|db:drop|schema:drop|migration:revert|schema:fresh|migration:fresh|undo:all)/,
  },
  {
    programs: 'etcdctl',
    asks: /(?:^|\s)(?:del|member (?:remove|update)|snapshot restore|compaction|defrag|user (?:delete|grant-role|passwd)|role (?:grant|revoke|delete)\S*|auth (?:enable|disable)|lease revoke|move-leader)\b/,
  },
  { programs: 'rs-cli mongos-cli', asks: /^/ },
];

export const DATA_PROGRAM_RULES: readonly CommandRule[] = [
  tableRule('delete backups', BACKUPS),
  tableRule('delete a database', DATABASES),
];
