import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

/** Backup programs, and the arguments with which they delete backups. */
const BACKUPS: readonly ProgramRow[] = [
  ['restic', /(?:^|\s)(?:forget|prune|unlock|rewrite|repair|key (?:remove|passwd)|tag --(?:remove|set))\b/],
  ['borg', /(?:^|\s)(?:delete|prune|compact|recreate|key (?:change|import)\S*|break-lock|rename|config \S+ \S+ \S+)\b/],
  ['borgmatic', /(?:^|\s)(?:prune|compact|delete|break-lock)\b/],
  ['duplicity duply', /(?:^|\s)(?:remove-\S+|cleanup|purge\S*)\b/],
  [
    'kopia',
    /(?:^|\s)(?:snapshot (?:delete|expire)|repository (?:change-password|disconnect)|maintenance run|blob delete|content delete|policy delete)\b/,
  ],
  ['rdiff-backup', /--(?:remove-older-than|force)\b|^remove\b/],
  ['tarsnap', /(?:^|\s)-\w*d\b|--(?:nuke|delete)/],
  ['snapper', /(?:^|\s)(?:delete|remove|rm|cleanup|rollback|undochange|delete-config)\b/],
  ['timeshift', /--(?:delete\S*|restore)\b/],
  ['bup', /^(?:rm|gc|prune-older)\b/],
  ['tmutil', /^(?:delete\S*|disable|removedestination|thinlocalsnapshots|inheritbackup)\b/],
  ['wal-g pgbackrest barman', /(?:^|\s)(?:delete|expire|stanza-delete|stop|restore|switch-wal)\b/],
  ['azcopy', /^(?:remove|rm)\b|--delete-destination[= ]?(?:true|prompt|$)/],
  [
    'b2',
    /^(?:delete-\S+|bucket (?:delete|update)|rm|hide-file|file (?:hide|delete|unhide)|key (?:delete|create)|update-bucket|sync\b.*--delete|cancel-\S+)\b/,
  ],
  ['hdfs hadoop', /-(?:rm|rmr|rmdir|expunge|truncate|setrep|chmod|chown|mv|deleteSnapshot)\b|-format\b/],
  ['git-annex', /^(?:drop|dead|unannex|uninit|forget)\b/],
  ['dvc', /^(?:gc|destroy|remove|remote remove)\b/],
  ['ipfs', /^(?:pin rm|repo gc|files rm|key rm|shutdown)\b/],
];

/** Databases, and the arguments with which their programs destroy data or stop the server. */
const DATABASES: readonly ProgramRow[] = [
  ['flyway', /(?:^|\s)(?:clean|undo|repair)\b/],
  [
    'airflow',
    /^(?:db (?:reset|clean|downgrade)|(?:dags|tasks|pools|variables|connections|users) (?:delete|clear|remove-role))\b/,
  ],
  ['celery', /(?:^|\s)(?:purge|control (?:shutdown|revoke|terminate)|amqp queue\.(?:delete|purge))\b/],
  ['rq sidekiqctl sidekiq-ctl resque', /^(?:empty|stop|quiet|kill|clear)\b/],
  ['kcat kafkacat', /(?:^|\s)-\w*Z/],
  ['influxd pgbench', /^restore\b|(?:^|\s)-\w*i\b/],
  ['tarantoolctl tt', /\b(?:truncate|drop|delete)\s*\(/],
  ['magento craft', /(?:setup:(?:rollback|uninstall)|db\/restore)/],
  ['mysqladmin mariadb-admin', /(?:^|\s)(?:shutdown|drop|password|kill|flush-privileges|stop-\w+)\b/],
  [
    'mongosh mongo',
    /\b(?:shutdown|shutdownServer|dropDatabase|dropUser|dropAllUsers\w*|dropRole|fsyncLock|replSet\w+|removeShard|killOp|setUserRole)\b|\brs\.(?:reconfig|remove|stepDown)|\.(?:deleteMany|remove)\s*\((?!\s*\{\s*["']?_id["']?\s*:)/,
  ],
  ['mongorestore mongoimport', /--drop\b/],
  [
    'redis-cli valkey-cli keydb-cli',
    /(?:^|\s)(?:flushall|flushdb|shutdown|script flush|function flush|cluster (?:reset|failover|forget|delslots|flushslots)|debug\b|slaveof|replicaof|acl (?:setuser|deluser|load)|config (?:set|rewrite)|swapdb|migrate|failover|module (?:load|unload)|client (?:kill|pause)|xtrim|ltrim|restore)(?:\s|$)/i,
  ],
  ['memcached-tool memcdump memcflush', /\bflush|^/, /\b(?:stats|display|settings|dump)\b/],
  [
    'cypher-shell',
    /\b(?:detach\s+delete|delete\s+\w|drop\s+(?:database|index|constraint|user|role|alias)|remove\s+\w|grant\b|alter\s+user|stop\s+database)/i,
  ],
  ['neo4j-admin', /(?:^|\s)(?:load|restore|import|set-initial-password|unbind|memrec --force|delete)\b/],
  ['arangosh', /_drop|\.(?:drop|truncate|removeByExample)\s*\(/],
  ['couchbase-cli cbc', /(?:bucket-(?:flush|delete|edit)|server-\S*|failover|rebalance|user-manage|reset-\S+|rm\b)/],
  [
    'nodetool',
    /^(?:-\S+ \S+ )*(?:decommission|removenode|clearsnapshot|drain|assassinate|truncatehints|disable\S*|stopdaemon|move|rebuild|scrub|garbagecollect|resetlocalschema)\b/,
  ],
  ['sqlite-utils', /^(?:drop-\S+|delete|transform|query\b.*\b(?:delete|drop|update)\b|duplicate --force)/i],
  ['sqlite3', /(?:^|\s)\.(?:restore|clone)\b|pragma\s+writable_schema/i],
  ['pg_resetwal pg_resetxlog pg_upgradecluster pg_rewind', /\S/],
  ['initdb', /\S/],
  ['pg_ctl pg_ctlcluster', /(?:^|\s)(?:stop|promote|kill|initdb|restart)\b/],
  ['bcp', /\sin\s/],
  ['spark-sql athenacli flink-sql', /\b(?:drop|truncate|delete\s+from)\b/i],
  ['migrate', /(?:^|\s)(?:drop|force|down(?:\s+-all)?)(?:\s|$)/],
  ['drizzle-kit', /^(?:push\b.*--force|drop)\b/],
  ['hasura', /^(?:metadata clear|migrate (?:delete|squash|apply\b.*--down)|seed apply)\b/],
  [
    'knex sequelize sequelize-cli typeorm mikro-orm',
    /(?:migrate:rollback\b.*--all|db:drop|schema:drop|migration:revert|schema:fresh|migration:fresh|undo:all)/,
  ],
  [
    'etcdctl',
    /(?:^|\s)(?:del|member (?:remove|update)|snapshot restore|compaction|defrag|user (?:delete|grant-role|passwd)|role (?:grant|revoke|delete)\S*|auth (?:enable|disable)|lease revoke|move-leader)\b/,
  ],
  ['etcdctl', /--endpoints[= ](?!\S*(?:localhost|127\.))\S.*\s(?:put|txn)\b/],
  ['prisma', /--(?:accept-data-loss|force-reset)\b/],
  ['liquibase', /(?:^|\s)(?:dropAll|drop-all|rollback\S*)\b/i],
];

export const DATA_PROGRAM_RULES: readonly CommandRule[] = [
  tableRule('delete backups', BACKUPS),
  tableRule('delete a database', DATABASES),
];
