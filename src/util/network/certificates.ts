import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { errorMessage } from '../../base/index.ts';
import { NetworkSettingError } from './network-setting-error.ts';
import type { NetworkVariables } from './proxy.ts';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The trusted certificate authorities; undefined if the variables add none to Node's own. They are added and never
 * replace the others: a file with only a company's certificate must not break other connections.
 */
export async function trustedAuthorities(
  names: readonly string[],
  variables: NetworkVariables,
  more: readonly string[] = [],
): Promise<string[] | undefined> {
  const known = getCACertificates('default');
  const seen = new Set(known.map(bare));
  const added: string[] = [];
  const named = await Promise.all(names.map((name) => readCertificates(name, variables[name] as string)));
  for (const certificate of [...named.flat(), ...more]) {
    // A system-wide bundle mostly contains what Node already has, and loading each certificate takes time.
    if (!seen.has(bare(certificate))) added.push(certificate);
    seen.add(bare(certificate));
  }
  return added.length === 0 ? undefined : [...known, ...added];
}

async function readCertificates(name: string, file: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw unusable(`${name}: could not read ${file}: ${errorMessage(cause)}`, name);
  }
  const certificates = text.match(PEM);
  if (certificates === null) throw unusable(`${name}: ${file} contains no certificate.`, name);
  return certificates;
}

function unusable(message: string, name: string): NetworkSettingError {
  return new NetworkSettingError(
    'CA_FILE',
    message,
    `Set ${name} to a file with certificates in PEM format, or unset it.`,
  );
}

function bare(certificate: string): string {
  return certificate.replaceAll(/\s/g, '');
}
