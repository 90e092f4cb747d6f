import { homedir } from 'node:os';
import { relative, sep } from 'node:path';
import { credentialLocations, isEnvFile } from '../../approvals/index.ts';
import { isInside } from '../../util/index.ts';

const KEY_FILE = /\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx)$|\/id_(?:rsa|dsa|ecdsa|ed25519)$/i;

/** Whether a file may hold secrets that tools would ask about; a reference or a link must not bring it into the prompt. */
export function isPrivate(real: string, root: string): boolean {
  const isGitFile = relative(root, real).split(sep).includes('.git');
  if (isGitFile || isEnvFile(real) || KEY_FILE.test(real)) return true;
  return credentialLocations([homedir()], process.env).some((at) => isInside(at, real));
}
