import { globSource } from '../shell/words.ts';
import { isWithin, type MachineFacts } from './machine-facts.ts';
import { isPattern } from './path-pattern.ts';

/** Names of environment files, wherever they are. Templates contain no secrets. */
const ENV_NAME =
  /^(?:\.env(?:rc|[._~-](?!(?:\w+\.)?(?:example|sample|template|dist|defaults|tpl|schema)\b)[\w.~-]*)?|\.flaskenv|(?!example|sample|template)[\w-]+(?:\.(?!example|sample|template)[\w-]+)*\.env)$/;
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

/** `[ -f .env ] || cp …`, `[ ! -e .env ] && cp …` and `if [ ! -f .env ]; then cp …`: the copy never replaces the file. */
const CREATES =
  /(?:(?:\btest|\[\[?)\s+-[efs]\s+(["']?)([\w./-]{1,200})\1(?:\s+\]\]?)?\s*\|\||(?:\btest\s+!|\[\[?\s+!|!\s+(?:test|\[\[?))\s+-[efs]\s+(["']?)([\w./-]{1,200})\3(?:\s+\]\]?)?\s*(?:&&|[;\n]\s*then\b))\s*(cp\s+[^;&|()<>$`\n]{1,300})/g;

/** The copies in a command line that only run if their target is missing. */
export function copiesThatCreate(text: string): ReadonlySet<string> | undefined {
  if (!text.includes('.env') || !text.includes('cp ')) return undefined;
  const found = [...text.matchAll(CREATES)].flatMap((match) => {
    const target = match[2] ?? match[4] ?? '';
    const copy = (match[5] ?? '').trim();
    const isAlone = text.split(copy).length === 2;
    return isAlone &&
      copy
        .split(/\s+/)
        .at(-1)
        ?.replace(/^["']|["']$/g, '') === target
      ? [copy]
      : [];
  });
  return found.length === 0 ? undefined : new Set(found);
}

/** An environment file outside the working directory belongs to another project. */
export function isForeignEnvFile(path: string, { workingDirectory }: MachineFacts): boolean {
  if (!path.startsWith('/') || isWithin(path, workingDirectory)) return false;
  return namesEnvFile(path.slice(path.lastIndexOf('/') + 1));
}
