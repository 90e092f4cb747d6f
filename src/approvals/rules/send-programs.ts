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
  ['elasticdump', /--output[= ]?["']?https?:\/\/(?!localhost|127\.)/],
  ['dvc', /^push\b/],
  ['wandb', /^sync\b(?!.*--view)/],
  [
    'aws',
    /^s3api (?:put-object|upload-part|copy-object|create-multipart-upload)\s|^(?:glacier upload-archive|transfer start-file-transfer|rds start-export-task|dynamodb export-table\S*|ec2 (?:export-image|create-store-image-task|create-instance-export-task)|datasync start-task-execution|workdocs initiate-document\S*)/,
  ],
  [
    'az',
    /^storage (?:blob|file|fs|azcopy blob|azcopy file)(?: file| directory)? (?:upload\S*|sync|copy start\S*|move)/,
  ],
  ['oci', /^os object (?:put|bulk-upload|sync|copy)\b/],
  ['ibmcloud', /^cos (?:upload|put-object|object-put|part-upload|object-copy|copy-object)\b/],
  ['linode-cli', /^obj put\b/],
  ['s3cmd s4cmd', /^put\s/],
  ['s3-cli s3-upload s3put boto-rsync', /\S/],
  ['b2', /^(?:upload-file|file upload|upload-unbound-stream|file copy-by-id)\b/],
  ['b2-linux b2v4', /^(?:upload-file|file upload|sync \S+ b2:)/],
  ['coscmd bcecmd qshell qsctl', /^(?:upload|put|fput|rput|qupload|qupload2|cp|bos cp|bos sync)\b/],
  ['swift', /^(?:-\S+ )*upload\b/],
  ['openstack', /^object create\b/],
  ['wrangler', /^(?:r2 object put|kv\S* bulk put)\b/],
  ['vercel', /^blob put\b/],
  ['netlify', /^blobs:set\b.*(?:-i|--input)/],
  ['rclone', /^rcat\b|^rc\s.*(?:sync|operations)\/(?:copy|move|sync)/],
  ['mc', /^pipe\s/],
  ['gsutil', /^(?:-\S+ )*compose\b/],
  ['gdrive drive drive-cli', /^(?:files )?(?:upload|sync upload|push|import|update)\b/],
  ['dropbox_uploader dropbox_uploader.sh dbxcli', /(?:^|\s)(?:upload|put)\b/],
  ['mega-put megaput megacopy mega-sync onedrive-uploader', /\S/],
  ['onedrive', /--(?:upload-only|synchronize|sync|single-directory)/],
  ['nextcloudcmd owncloudcmd davix-put uberftp globus-url-copy', /\S/],
  ['globus', /^transfer\b/],
  ['hf huggingface-cli', /^upload(?:-large-folder)?\b/],
  ['restic', /(?:^|\s)(?:-r|--repo)[= ]?(?:s3|sftp|rest|b2|azure|gs|rclone|swift):\S*.*\s(?:backup|copy)\b/],
  ['borg', /^(?:-\S+ )*(?:create|import-tar|transfer)\b.*(?:ssh:\/\/|\S+@\S+:)/],
  ['duplicity duply duplicacy', /\s(?!file:)\w[\w+]*:\/\//],
  ['kopia', /^repository (?:create|sync-to) (?!filesystem)/],
  ['croc wormhole magic-wormhole wormhole-william portal', /^(?:-\S+ )*(?:send|tx)\s/],
  [
    'qrcp woof localsend localsend-cli onionshare-cli sendme dcp teleport-send justbeamit',
    /^(?:send\s|(?!receive|recv)[^-\s])/,
  ],
  ['tailscale', /^file cp\s/],
  ['tftp atftp', /\bput\b|(?:^|\s)(?:-p|--put)\b/],
  ['cadaver', /\S/],
  ['udp-sender uftp bbcp gsiscp pdcp prsync parallel-scp parallel-rsync salt-cp', /\s\S/],
  ['clush', /(?:^|\s)(?:-c|--copy)\s/],
  ['obexftp', /(?:^|\s)(?:-p|--put)\b/],
  ['bluetooth-sendto obexput', /\S/],
  ['kdeconnect-cli', /--share\b/],
  ['mail mailx s-nail nail', /(?:^|\s)(?:-a|-A|--attach)[= ]?\S*[./]\w/],
  ['mutt neomutt', /(?:^|\s)-a\s/],
  ['swaks sendemail sendEmail mpack', /(?:^|\s)(?:--attach\S*|-a)[= ]?\S|\S+@\S+\.\S+$/],
  ['telegram-send', /--(?:file|image|video|audio)\b/],
  ['signal-cli', /\bsend\b.*(?:^|\s)(?:-a|--attachments?)\b/],
  ['ntfy', /^(?:publish|pub|send)\b.*(?:-f|--file)\b/],
  ['slack', /^files? upload\b/],
  ['git-annex', /^(?:copy|move|export)\b.*--to[= ]/],
  ['git', /^annex (?:copy|move|export)\b.*--to[= ]/],
  ['snowsql snow', /\bput\s+file:|^stage copy\b/i],
  ['bq', /^(?:--\S+ )*extract\b/],
  [
    'gh',
    /^gist create\b.*\s(?:-|--public|-p|\S+\.(?!md\b|txt\b|json\b)\w+)(?:\s|$)|^repo create\b.*--public\b.*--(?:push|source)\b|^repo create\b.*--(?:push|source)\b.*--public\b/,
  ],
  ['grpcurl', /(?:^|\s)-d[= ]?@/, /(?:^|\s)(?:localhost|127\.)/],
  [
    'mosquitto_pub',
    /(?:^|\s)(?:-f|-s|-l|--file|--stdin-\w+)(?:\s|$)/,
    /(?:^|\s)-h (?:localhost|127\.)|^(?!(?:.*\s)?-h\s)/,
  ],
  ['kcat kafkacat', /(?:^|\s)-P\b/, /(?:^|\s)-b ?(?:localhost|127\.|kafka[:\s])/],
  [
    'kafka-console-producer kafka-console-producer.sh',
    /--(?:bootstrap-server|broker-list)[= ](?!localhost|127\.|kafka:)/,
  ],
  ['redis-cli', /(?:^|\s)-x\b/, /^(?!.*(?:-h|-u)\s)|(?:-h|-u) (?:redis:\/\/)?(?:localhost|127\.|redis\b)/],
  ['logger', /^(?:-\S+ )*(?:-n|--server)[= ]?(?!localhost|127\.)\S+.*\s(?:-f|--file)\b/],
  ['asciinema sentry-cli', /^(?:upload|debug-files upload|upload-\w+|send-\w+)\b/],
  [
    'ffmpeg gst-launch-1.0 raspivid',
    /\s(?:rtmps?|rtsp|srt|udp|tcp|https?|ftp|sftp):\/\/(?!localhost|127\.|0\.0\.0\.0|\[?::1)\S+$|(?:tcp|udp)(?:client)?sink\b.*host=(?!localhost|127\.)/,
  ],
  ['magick convert', /\s(?:https?|ftp):\/\/\S+$/],
  ['svn', /^(?:import|commit|ci|copy|cp)\b.*\w+:\/\/(?!localhost|127\.)\S+/],
  ['hg fossil bzr darcs', /^(?:push|sync|send)\s(?:\S+ )*(?:\w+:\/\/(?!localhost|127\.)|\S+@)\S+/],
  ['termux-share termux-sms-send', /\S/],
  ['codecov codecovcli', /--(?:enterprise-)?url[= ](?!https:\/\/(?:[\w-]+\.)?codecov\.io)/],
  ['vercel now', /(?:^|\s)(?:~|\/home|\/Users|\/root|\$HOME)(?:\/|\s|$)/],
  ['netlify', /(?:--dir|-d)[= ](?:~|\/|\$HOME|\.(?:\s|$))/],
];
