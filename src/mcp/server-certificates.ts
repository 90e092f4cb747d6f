import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { errorMessage } from '../base/index.ts';
import type { McpServerSettings, ServerTls } from '../config/index.ts';
import type { TlsOptions } from '../llm/index.ts';
import { rememberSecrets } from '../util/index.ts';
import { expandText, type Placeholders, type Variables } from './expand-variables.ts';
import { ServerFailure } from './server-failure.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** The start of a certificate or key that a variable contains itself, instead of the name of its file. */
const PEM_START = /^\s*-----BEGIN /;

/** The TLS settings of a server with the contents of the files; undefined if there are none. */
export async function readCertificates(
  { name, settings }: { name: string; settings: McpServerSettings },
  variables: Variables,
  places: Placeholders,
): Promise<TlsOptions | undefined> {
  const { tls } = settings;
  if (tls === undefined) return undefined;
  const source: Source = { name, expand: (text, where) => expandText(text, variables, places, where) };
  const { authorityFile, certificateFile, keyFile } = tls;
  const hasOwn = certificateFile !== undefined || keyFile !== undefined;
  return {
    rejectUnauthorized: tls.verify,
    ...(authorityFile !== undefined && { authorities: await readAuthorities(authorityFile, source) }),
    ...(hasOwn && (await readClientCertificate(tls, source))),
  };
}

type Source = { name: string; expand(text: string, where: string): string };

async function readAuthorities(file: string, source: Source): Promise<string[]> {
  const found = (await readPem(file, 'ssl_verify', source)).match(CERTIFICATE);
  if (found !== null) return found;
  throw new ServerFailure('settings', `mcp_servers.${source.name}.ssl_verify: ${file} contains no certificate.`, {
    hint: 'Set it to true, false, or a file with certificates in PEM format.',
  });
}

/** The certificate and the key may be in one file. */
async function readClientCertificate(tls: ServerTls, source: Source): Promise<Pick<TlsOptions, 'cert' | 'key'>> {
  const { certificateFile, keyFile = certificateFile ?? '', keyPassword } = tls;
  const where = `mcp_servers.${source.name}`;
  if (certificateFile === undefined)
    throw new ServerFailure('settings', `${where}.client_key is set without ${where}.client_cert.`, {
      hint: `Set ${where}.client_cert to the file with the certificate of this key.`,
    });
  const cert = await readPem(certificateFile, 'client_cert', source);
  const key = await readPem(keyFile, 'client_key', source);
  const passphrase = keyPassword && source.expand(keyPassword, `${where}.client_key_password`);
  rememberSecrets([passphrase ?? '']);
  const own = { cert, key, ...(passphrase !== undefined && { passphrase }) };
  assertUsable(own, where);
  return own;
}

/** Reports a key that does not fit before any connection is opened, because TLS errors do not name the setting. */
function assertUsable(own: Pick<TlsOptions, 'cert' | 'key' | 'passphrase'>, where: string): void {
  try {
    createSecureContext(own);
  } catch (thrown) {
    const why = /bad decrypt|interrupted or cancelled|password/i.test(errorMessage(thrown))
      ? 'the key is encrypted, and its password is missing or wrong'
      : errorMessage(thrown);
    throw new ServerFailure('settings', `${where}.client_cert and client_key cannot be used: ${why}.`, {
      hint: `Check that the key belongs to the certificate, and set ${where}.client_key_password if the key is encrypted.`,
    });
  }
}

/** The content of a PEM file. A variable may also contain the text itself, as is usual in CI. */
async function readPem(written: string, key: string, { name, expand }: Source): Promise<string> {
  const where = `mcp_servers.${name}.${key}`;
  const file = expand(written.replace(/^~(?=\/|$)/, '${HOME}'), where);
  if (PEM_START.test(file)) return file;
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new ServerFailure('settings', `${where}: ${file} cannot be read: ${errorMessage(thrown)}`, {
      hint: 'Set it to a file in PEM format, or remove the setting.',
    });
  }
}
