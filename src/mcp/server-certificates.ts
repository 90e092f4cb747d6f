import { readFile } from 'node:fs/promises';
import { errorMessage } from '../base/index.ts';
import type { McpServerSettings, ServerTls } from '../config/index.ts';
import type { TlsOptions } from '../llm/index.ts';
import { expandText, type Placeholders, type Variables } from './expand-variables.ts';
import { ServerFailure } from './server-failure.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The TLS settings of a server with the contents of the files; undefined if there are none. */
export async function readCertificates(
  { name, settings }: { name: string; settings: McpServerSettings },
  variables: Variables,
  places: Placeholders,
): Promise<TlsOptions | undefined> {
  const { tls } = settings;
  if (tls === undefined) return undefined;
  const read = (file: string, key: string) => readPem(file, `mcp_servers.${name}.${key}`, variables, places);
  return {
    rejectUnauthorized: tls.verify,
    ...(tls.authorityFile !== undefined && { authorities: await readAuthorities(name, tls.authorityFile, read) }),
    ...(tls.certificateFile !== undefined && (await readClientCertificate(tls, read))),
  };
}

type Read = (file: string, key: string) => Promise<string>;

async function readAuthorities(name: string, file: string, read: Read): Promise<string[]> {
  const found = (await read(file, 'ssl_verify')).match(CERTIFICATE);
  if (found !== null) return found;
  throw new ServerFailure('settings', `mcp_servers.${name}.ssl_verify: ${file} contains no certificate.`, {
    hint: 'Set it to true, false, or a file with certificates in PEM format.',
  });
}

/** The certificate and the key may be in one file. */
async function readClientCertificate({ certificateFile = '', keyFile = certificateFile }: ServerTls, read: Read) {
  return { cert: await read(certificateFile, 'client_cert'), key: await read(keyFile, 'client_key') };
}

async function readPem(written: string, where: string, variables: Variables, places: Placeholders): Promise<string> {
  const file = expandText(written.replace(/^~(?=\/|$)/, '${HOME}'), variables, places, where);
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new ServerFailure('settings', `${where}: ${file} cannot be read: ${errorMessage(thrown)}`, {
      hint: 'Set it to a file in PEM format, or remove the setting.',
    });
  }
}
