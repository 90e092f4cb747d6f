import { KEY_FORMATS } from './key-formats.ts';

/** A line with a secret in it. The secrets are made up here, so that none is in the repository. */
export type SecretLine = { line: string; secret: string };

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const ALPHANUMERIC = LETTERS + LETTERS.toUpperCase() + DIGITS;

/** A made-up secret, always the same for the same seed; it has a letter and a digit in every ten characters. */
export function madeUp(length: number, seed = 7, alphabet = ALPHANUMERIC): string {
  let state = seed * 2654435761;
  return Array.from({ length }, (_, at) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    if (at % 10 === 3) return DIGITS[state % 10];
    if (at % 10 === 6)
      return alphabet === HEX ? 'abcdef'[state % 6] : (alphabet === UPPER ? UPPER : LETTERS)[state % 26];
    return alphabet[state % alphabet.length];
  }).join('');
}

const UPPER = LETTERS.toUpperCase() + DIGITS;
const hex = (length: number, seed?: number) => madeUp(length, seed, HEX);
const upper = (length: number, seed?: number) => madeUp(length, seed, UPPER);

/** What follows the beginning of the keys of a format, if it is not 70 random characters. */
const RESTS: Readonly<Record<string, string>> = {
  'AWS key id': upper(16),
  'AWS session token': madeUp(120),
  'AWS Bedrock': madeUp(120),
  'Alibaba key id': madeUp(20),
  'Google API': madeUp(35),
  'Vault before 1.10': madeUp(24),
  Databricks: hex(32),
  Supabase: hex(40),
  Pulumi: hex(40),
  RubyGems: hex(48),
  SonarQube: hex(40),
  Buildkite: hex(40),
  Postman: `${hex(24)}-${hex(34, 3)}`,
  Twilio: hex(32),
  Mailgun: hex(32),
  Shopify: hex(32),
  Resend: `${madeUp(8)}_${madeUp(24, 3)}`,
  age: upper(58),
  'Slack app': `1-${upper(11)}-${madeUp(64)}`,
  'Discord bot': `${madeUp(22)}.${madeUp(6, 3)}.${madeUp(38, 5)}`,
  SendGrid: `${madeUp(22)}.${madeUp(43, 3)}`,
  'Square access token': madeUp(60),
  Facebook: madeUp(100),
  'Notion before 2024': madeUp(43),
  Dynatrace: `${upper(24)}.${upper(64, 3)}`,
  Airtable: `${madeUp(14)}.${hex(64, 3)}`,
  'JSON Web Token': `${madeUp(17)}.eyJ${madeUp(40, 3)}.${madeUp(43, 5)}`,
  'encrypted JSON Web Token': `${madeUp(30)}.${madeUp(40, 3)}.${madeUp(16, 5)}.${madeUp(60, 9)}.${madeUp(22, 11)}`,
};

/** One key for each beginning of each format. */
export function exampleKeys(): { name: string; key: string }[] {
  return KEY_FORMATS.flatMap(({ name, starts }) =>
    starts.map((start) => ({ name, key: start + (RESTS[name] ?? madeUp(70)) })),
  );
}

const PASSWORD = `Tr0ub4dor${madeUp(6)}`;
const AWS_ID = `AKIA${upper(16)}`;
const AWS_SECRET = `${madeUp(18)}/${madeUp(12, 3)}+${madeUp(8, 5)}`;
const AZURE = `${madeUp(86)}==`;
const BODY = madeUp(64, 13).repeat(3);

const at = (template: string, secret: string): SecretLine => ({ line: template.replace('@@', secret), secret });

const AROUND_PASSWORDS: readonly string[] = [
  'DB_PASSWORD=@@',
  'export PGPASSWORD=@@',
  'MYSQL_ROOT_PASSWORD="@@"',
  "  - POSTGRES_PASSWORD='@@'",
  'SMTP_PASSWD=@@',
  '12|REDIS_PASSWORD=@@',
  'spring.datasource.password=@@',
  'password: @@',
  'password: "@@"',
  "password = '@@'",
  '"password": "@@",',
  '{"user":"me","password":"@@"}',
  '{"body":"{\\"password\\":\\"@@\\"}"}',
  '"db_password" => "@@",',
  '  passphrase: @@',
  'Server=db;Database=app;User Id=sa;Password=@@;Encrypt=true',
  'Driver={ODBC};Server=db;Uid=sa;Pwd=@@;',
  'jdbc:postgresql://db:5432/app?user=me&password=@@',
  'jdbc:mysql://db/app?user=me&password=@@&useSSL=true',
  'jdbc:oracle:thin:scott/@@@db:1521:orcl',
  'postgres://me:@@@db.example.com:5432/app',
  'postgresql+psycopg2://me:@@@db/app',
  'mysql://root:@@@127.0.0.1:3306/app',
  'mongodb+srv://me:@@@cluster0.example.net/app?retryWrites=true',
  'redis://:@@@cache:6379/0',
  'rediss://default:@@@cache:6380',
  'amqp://guest:@@@mq:5672/%2f',
  'amqps://svc:@@@mq/vhost',
  'ftp://me:@@@files.example.com/a.txt',
  'https://me:@@@git.example.com/a/b.git',
  'smtp://me%40example.com:@@@mail.example.com:587',
  'DATABASE_URL="postgres://me:@@@db/app"',
  'machine api.example.com login me password @@',
  'default login me password @@',
  'machine api.example.com\n  login me\n  password @@',
  'db.example.com:5432:app:me:@@',
  '*:*:*:me:@@',
  'mysql -u root -p@@ app',
  "mysqldump --single-transaction -uroot -p'@@' app > dump.sql",
  'mariadb -h db -p@@',
  'mysqladmin -p@@ status',
  'mysql --user=root --password=@@ app',
  'psql --password @@',
  'sshpass -p @@ ssh me@host',
  "sshpass -p '@@' scp a host:b",
  'mongosh "mongodb://db" -u me -p @@',
  'docker login -u me -p @@ registry.example.com',
  'sqlcmd -S db -U sa -P @@',
  'redis-cli -h cache -a @@ ping',
  'ldapsearch -x -D cn=admin -w @@ -b dc=example',
  'zip -r -P @@ out.zip src',
  'smbclient //host/share -U me%@@',
  'curl -u me:@@ https://api.example.com',
  "curl -s -u 'me:@@' https://api.example.com",
  'curl --user me:@@ https://api.example.com',
  'curl --proxy-user me:@@ https://api.example.com',
  'wget --http-user=me --http-password=@@ https://example.com',
  'openssl rsa -in key.pem -passin pass:@@',
  'openssl enc -aes-256-cbc -pass pass:@@',
  'gpg --batch --passphrase @@ -d file.gpg',
  'gpg --batch --passphrase "@@" -d file.gpg',
  'az login --service-principal -u app --password @@',
  'helm registry login --username me --password @@ example.com',
  'vault login --token=@@',
  'fly deploy --access-token @@',
  'spawn("tool", ["--api-key", "@@"])',
  '"args": ["--token", "@@"]',
  'tool --client-secret=@@ --verbose',
];

const AROUND_TOKENS: readonly string[] = [
  'Authorization: Bearer @@',
  'authorization: bearer @@',
  '"Authorization": "Bearer @@"',
  "-H 'Authorization: Bearer @@'",
  'Authorization: Basic @@',
  'Proxy-Authorization: Basic @@',
  'Authorization: token @@',
  'Authorization: @@',
  'headers: {"authorization":"Bearer @@"}',
  '{\\"authorization\\":\\"Bearer @@\\"}',
  'X-Api-Key: @@',
  'x-goog-api-key: @@',
  'PRIVATE-TOKEN: @@',
  'X-Auth-Token: @@',
  'X-Vault-Token: @@',
  'Cookie: sessionid=@@',
  'Cookie: theme=dark; sessionid=@@; lang=en',
  'Set-Cookie: sid=@@; Path=/; HttpOnly; SameSite=Lax',
  'set-cookie: connect.sid=s%3A@@; Path=/; Expires=Wed, 01 Jan 2031 00:00:00 GMT',
  '< Set-Cookie: auth=@@; Domain=.example.com; Secure',
  '"Cookie": "JSESSIONID=@@"',
  'GET /v1/items?access_token=@@ HTTP/1.1',
  'https://api.example.com/v1?key=@@&n=1',
  'https://api.example.com/v1?n=1&api_key=@@',
  'https://api.example.com/v1?n=1&amp;token=@@',
  'https://acct.blob.core.windows.net/c/b?sv=2022-11-02&sr=b&sig=@@',
  'https://bucket.s3.amazonaws.com/k?X-Amz-Signature=@@',
  'https://storage.googleapis.com/b/o?X-Goog-Signature=@@',
  'wss://host/socket?auth=@@',
  'http://@@@proxy.example.com:8080',
  'git clone https://@@@github.com/a/b.git',
  'https://oauth2:@@@gitlab.example.com/a/b.git',
  '//registry.example.com/:_authToken=@@',
  '//registry.example.com/:_auth=@@',
  '"auth": "@@"',
  'api_key: @@',
  'apiKey: "@@"',
  'const apiKey = "@@";',
  "API_SECRET = '@@'",
  'client_secret=@@&grant_type=client_credentials',
  'refresh_token: "@@"',
  '"refreshToken": "@@"',
  'access_token=@@',
  'aws_secret_access_key = @@',
  'aws_session_token=@@',
  'secret_key_base: @@',
  'DD_API_KEY=@@',
  'dd_app_key: "@@"',
  'DATADOG_API_KEY: @@',
  'TWILIO_AUTH_TOKEN=@@',
  'NEW_RELIC_LICENSE_KEY=@@',
  'CLOUDFLARE_API_TOKEN=@@',
  'VERCEL_TOKEN=@@',
  'WANDB_API_KEY=@@',
  'MISTRAL_API_KEY=@@',
  'COHERE_API_KEY="@@"',
  'ELASTIC_PASSWORD: @@',
  'encryption_key: "@@"',
  'WEBHOOK_SECRET=@@',
  'JWT_SECRET=@@',
];

/** Lines in which the secret is recognised by the text around it. */
export function namedSecretLines(): SecretLine[] {
  const uuid = `${hex(8)}-${hex(4, 3)}-4${hex(3, 5)}-a${hex(3, 7)}-${hex(12, 9)}`;
  const token = madeUp(40);
  return [
    ...AROUND_PASSWORDS.map((template) => at(template, PASSWORD)),
    ...AROUND_TOKENS.map((template) => at(template, token)),
    ...['HEROKU_API_KEY=@@', 'heroku_api_key: "@@"', 'api-key: @@'].map((template) => at(template, uuid)),
    at('DefaultEndpointsProtocol=https;AccountName=a;AccountKey=@@;EndpointSuffix=core.windows.net', AZURE),
    at('Endpoint=sb://b.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=@@', `${madeUp(43)}=`),
    at('AZURE_STORAGE_KEY=@@', AZURE),
    at(`[default]\naws_access_key_id = ${AWS_ID}\naws_secret_access_key = @@`, AWS_SECRET),
    at(`AccessKeyId,SecretAccessKey\n${AWS_ID},@@`, AWS_SECRET),
    at(`${AWS_ID} @@`, AWS_SECRET),
    at(`@@ ${AWS_ID}`, AWS_SECRET),
    at(`AWS4-HMAC-SHA256 Credential=${AWS_ID}/20300101/eu/s3/aws4_request, Signature=@@`, hex(64)),
    at(`bot 123456789:@@`, `AA${madeUp(33)}`),
    at('https://hooks.slack.com/services/@@', `T${upper(8)}/B${upper(10, 3)}/${madeUp(24)}`),
    at('https://hooks.slack.com/workflows/@@', `T${upper(8)}/A${upper(10, 3)}/123456789012345678/${madeUp(24)}`),
    at('https://discord.com/api/webhooks/123456789012345678/@@', madeUp(68)),
    at('https://discordapp.com/api/v10/webhooks/123456789012345678/@@', madeUp(68)),
    at('https://@@@o123456.ingest.sentry.io/1234567', hex(32)),
    at('AZURE @@', `${madeUp(3)}8Q~${madeUp(34, 3)}`),
    at('@@', `${madeUp(14)}.atlasv1.${madeUp(64, 3)}`),
    at('license_key: @@', `${hex(36)}NRAL`),
    at('@@', `${hex(36)}NRAL`),
    at('PrivateKey = @@', `${madeUp(43)}=`),
    at('PresharedKey = @@', `${madeUp(43)}=`),
    at('-----BEGIN RSA PRIVATE KEY-----\n@@\n-----END RSA PRIVATE KEY-----', BODY),
    at('-----BEGIN OPENSSH PRIVATE KEY-----\n@@\n-----END OPENSSH PRIVATE KEY-----', BODY),
    at('"private_key": "-----BEGIN PRIVATE KEY-----\\n@@\\n-----END PRIVATE KEY-----\\n",', BODY),
    at('-----BEGIN PGP PRIVATE KEY BLOCK-----\n@@\n-----END PGP PRIVATE KEY BLOCK-----', BODY),
    at('Private-Lines: 2\n@@\nPrivate-MAC: 00', madeUp(64)),
  ];
}
