import { globSource } from '../shell/words.ts';
import { isWithin, type MachineFacts } from './machine-facts.ts';
import { isPattern } from './path-pattern.ts';

/** Names of environment files, wherever they are. Templates contain no secrets. */
const ENV_NAME =
  /^(?:\.env(?:rc|[._~-](?!(?:\w+\.)?(?:example|sample|template|dist|defaults|tpl|schema)\b)[\w.~-]*)?|\.flaskenv|(?!example|sample|template)[\w-]+\.env)$/;
const ENV_NAMES = ['.env', '.env.local', '.env.production'];

/** Whether a name is that of an environment file, or a glob pattern that matches one. */
export function namesEnvFile(name: string): boolean {
  if (!isPattern(name)) return ENV_NAME.test(name);
  if (!/^[.[?@]|^\*\.?e/.test(name) || name.length > 60 || /^\.\[|^\.\?\?\*|^\.\*$/.test(name)) return false;
  try {
    const pattern = new RegExp(`^(?:${globSource(name)})$`);
    return ENV_NAMES.some((one) => pattern.test(one));
  } catch {
    return false;
  }
}

/** An environment file outside the working directory belongs to another project. */
export function isForeignEnvFile(path: string, { workingDirectory }: MachineFacts): boolean {
  if (!path.startsWith('/') || isWithin(path, workingDirectory)) return false;
  return namesEnvFile(path.slice(path.lastIndexOf('/') + 1));
}
