import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { errorMessage, ModelError } from '../../base/index.ts';
import { classifyFailure } from '../failure/classify-failure.ts';
import type { NetworkVariables } from './http-types.ts';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The authorities that are trusted, where a variable names more than Node knows; undefined where it adds nothing. They
 * are added, never put in place of the others: a file with only a company's own certificate must not shut out the rest.
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
    // A file of the whole system is mostly what Node has already, and each one costs time to load.
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
    throw unusable(`${name} names ${file}, which cannot be read: ${errorMessage(cause)}`, name);
  }
  const certificates = text.match(PEM);
  if (certificates === null) throw unusable(`${name} names ${file}, in which there is no certificate.`, name);
  return certificates;
}

function unusable(message: string, name: string): ModelError {
  return new ModelError(classifyFailure({ codes: ['CA_FILE'], message }), {
    hint: `Set ${name} to a file with certificates in PEM form, or take the variable away.`,
  });
}

function bare(certificate: string): string {
  return certificate.replaceAll(/\s/g, '');
}
