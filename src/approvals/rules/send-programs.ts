import type { ProgramRow } from './program-table.ts';

/** Programs that copy between this machine and a storage service, with what begins an address of the service. */
export type StorageProgram = { verb: RegExp; remote: RegExp };

const BUCKET = /^(?:s3|gs|oss|cos|obs|b2|dbfs|ss|swift|az|abfss?|wasbs?|r2|https?|hdfs):\/\//i;
/** `name:path` and `:type,option:path`, the addresses of rclone. */
const NAMED_REMOTE = /^:?[\w.@ -]{2,}[^/]*:/;

export const STORAGE: Readonly<Record<string, StorageProgram>> = {
  aws: { verb: /^s3 (?:cp|mv|sync)\b/, remote: BUCKET },
  gsutil: { verb: /^(?:cp|mv|rsync)\b/, remote: BUCKET },
  gcloud: { verb: /^(?:alpha |beta )?(?:storage (?:cp|mv|rsync)|compute scp)\b/, remote: /^gs:\/\/|^[^/]+:/ },
  azcopy: { verb: /^(?:cp|copy|sync)\b/, remote: BUCKET },
  rclone: { verb: /^(?:copy|copyto|sync|move|moveto|bisync)\b/, remote: NAMED_REMOTE },
  s3cmd: { verb: /^(?:sync|cp|mv)\b/, remote: BUCKET },
  s4cmd: { verb: /^(?:put|sync|dsync|cp|mv)\b/, remote: BUCKET },
  s5cmd: { verb: /^(?:cp|mv|sync|pipe)\b/, remote: BUCKET },
  b2: { verb: /^sync\b/, remote: BUCKET },
  ossutil: { verb: /^(?:cp|sync)\b/, remote: BUCKET },
  ossutil64: { verb: /^(?:cp|sync)\b/, remote: BUCKET },
  coscli: { verb: /^(?:cp|sync)\b/, remote: BUCKET },
  obsutil: { verb: /^(?:cp|sync)\b/, remote: BUCKET },
  supabase: { verb: /^storage (?:cp|mv)\b/, remote: BUCKET },
  databricks: { verb: /^fs cp\b/, remote: /^dbfs:/ },
  mc: { verb: /^(?:cp|mv|mirror|put)\b/, remote: /^(?!local\/|\.|\/|~)[\w-]+\/\S/ },
  hdfs: { verb: /^dfs -(?:put|copyFromLocal|moveFromLocal|appendToFile)\b/, remote: /^/ },
  hadoop: { verb: /^(?:fs -(?:put|copyFromLocal|moveFromLocal)|distcp)\b/, remote: /^/ },
  ascp: { verb: /^/, remote: /^(?:[^@/:]+@)?[^/:]+:/ },
  unison: { verb: /^/, remote: /^(?:ssh|socket|rsh):\/\// },
  'rdiff-backup': { verb: /^/, remote: /^[^/:]+::/ },
};

/** Options of these programs that take a value. */
export const STORAGE_VALUES =
  /^(?:-[hiaopPlOQTLFXfcj]|--(?:acl|exclude|include|profile|region|endpoint-url|storage-class|content-type|cache-control|content-encoding|content-disposition|metadata|metadata-directive|sse|sse-kms-key-id|expires|grants|query|output|project|account|zone|config|filter|filter-from|exclude-from|include-from|files-from|transfers|checkers|bwlimit|max-age|min-age|log-level|log-file|backup-dir|suffix|attr|tags|concurrency|numworkers|account-key|account-name))$/;

/** Programs that send files whatever their other arguments are. */
export const SENDERS: readonly ProgramRow[] = [
  {
    programs: 'aws',
    asks: /^s3api (?:put-object|upload-part|copy-object|create-multipart-upload)\s|^(?:glacier upload-archive|transfer start-file-transfer|rds start-export-task|dynamodb export-table\S*|ec2 (?:export-image|create-store-image-task|create-instance-export-task)|datasync start-task-execution|workdocs initiate-document\S*)/,
  },
  {
    programs: 'az',
    asks: /^storage (?:blob|file|fs|azcopy blob|azcopy file)(?: file| directory)? (?:upload\S*|sync|copy start\S*|move)/,
  },
  { programs: 'oci', asks: /^os object (?:put|bulk-upload|sync|copy)\b/ },
  { programs: 'ibmcloud', asks: /^cos (?:upload|put-object|object-put|part-upload|object-copy|copy-object)\b/ },
  { programs: 'linode-cli', asks: /^obj put\b/ },
  { programs: 's3cmd s4cmd', asks: /^put\s/ },
  { programs: 's3-cli s3-upload s3put boto-rsync', asks: /\S/ },
  { programs: 'b2', asks: /^(?:upload-file|file upload|upload-unbound-stream|file copy-by-id)\b/ },
  { programs: 'b2-linux b2v4', asks: /^(?:upload-file|file upload|sync \S+ b2:)/ },
  { programs: 'coscmd bcecmd qshell qsctl', asks: /^(?:upload|put|fput|rput|qupload|qupload2|cp|bos cp|bos sync)\b/ },
  { programs: 'swift', asks: /^(?:-\S+ )*upload\b/ },
  { programs: 'openstack', asks: /^object create\b/ },
  { programs: 'wrangler', asks: /^(?:r2 object put|kv\S* bulk put)\b/ },
  { programs: 'vercel', asks: /^blob put\b/ },
  { programs: 'netlify', asks: /^blobs:set\b.*(?:-i|--input)/ },
  { programs: 'rclone', asks: /^rcat\b|^rc\s.*(?:sync|operations)\/(?:copy|move|sync)/ },
  { programs: 'mc', asks: /^pipe\s/ },
  { programs: 'gsutil', asks: /^(?:-\S+ )*compose\b/ },
  { programs: 'gdrive drive drive-cli', asks: /^(?:files )?(?:upload|sync upload|push|import|update)\b/ },
  { programs: 'dropbox_uploader dropbox_uploader.sh dbxcli', asks: /(?:^|\s)(?:upload|put)\b/ },
  { programs: 'mega-put megaput megacopy mega-sync onedrive-uploader', asks: /\S/ },
  { programs: 'onedrive', asks: /--(?:upload-only|synchronize|sync|single-directory)/ },
  { programs: 'nextcloudcmd owncloudcmd davix-put uberftp globus-url-copy', asks: /\S/ },
  { programs: 'globus', asks: /^transfer\b/ },
  { programs: 'hf huggingface-cli', asks: /^upload(?:-large-folder)?\b/ },
  {
    programs: 'restic',
    asks: /(?:^|\s)(?:-r|--repo)[= ]?(?:s3|sftp|rest|b2|azure|gs|rclone|swift):\S*.*\s(?:backup|copy)\b/,
  },
  { programs: 'borg', asks: /^(?:-\S+ )*(?:create|import-tar|transfer)\b.*(?:ssh:\/\/|\S+@\S+:)/ },
  { programs: 'duplicity duply duplicacy', asks: /\s(?!file:)\w[\w+]*:\/\// },
  { programs: 'kopia', asks: /^repository (?:create|sync-to) (?!filesystem)/ },
  { programs: 'croc wormhole magic-wormhole wormhole-william portal', asks: /^(?:-\S+ )*(?:send|tx)\s/ },
  {
    programs: 'qrcp woof localsend localsend-cli onionshare-cli sendme dcp teleport-send justbeamit',
    asks: /^(?:send\s|(?!receive|recv)[^-\s])/,
  },
  { programs: 'tftp atftp', asks: /\bput\b|(?:^|\s)(?:-p|--put)\b/ },
  { programs: 'cadaver', asks: /\S/ },
  { programs: 'udp-sender uftp bbcp gsiscp pdcp prsync parallel-scp parallel-rsync salt-cp', asks: /\s\S/ },
  { programs: 'clush', asks: /(?:^|\s)(?:-c|--copy)\s/ },
  { programs: 'obexftp', asks: /(?:^|\s)(?:-p|--put)\b/ },
  { programs: 'bluetooth-sendto obexput', asks: /\S/ },
  { programs: 'kdeconnect-cli', asks: /--share\b/ },
  { programs: 'mail mailx s-nail nail', asks: /(?:^|\s)(?:-a|-A|--attach)[= ]?\S*[./]\w/ },
  { programs: 'mutt neomutt', asks: /(?:^|\s)-a\s/ },
  { programs: 'swaks sendemail sendEmail mpack', asks: /(?:^|\s)(?:--attach\S*|-a)[= ]?\S|\S+@\S+\.\S+$/ },
  { programs: 'telegram-send', asks: /--(?:file|image|video|audio)\b/ },
  { programs: 'signal-cli', asks: /\bsend\b.*(?:^|\s)(?:-a|--attachments?)\b/ },
  { programs: 'ntfy', asks: /^(?:publish|pub|send)\b.*(?:-f|--file)\b/ },
  { programs: 'slack', asks: /^files? upload\b/ },
  { programs: 'git-annex', asks: /^(?:copy|move|export)\b.*--to[= ]/ },
  { programs: 'git', asks: /^annex (?:copy|move|export)\b.*--to[= ]/ },
  { programs: 'snowsql snow', asks: /\bput\s+file:|^stage copy\b/i },
  { programs: 'bq', asks: /^(?:--\S+ )*extract\b/ },
  { programs: 'mongoexport', asks: /^$/ },
];
