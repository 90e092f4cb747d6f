import { ANY_VARIABLE } from './expansions.ts';

/** The whole environment as an expression, by language. */
const WHOLE = `(?:(?:\\bos\\.)?\\benvironb?\\b|\\bprocess\\.env\\b|\\brequire\\(["'](?:node:)?process["']\\)\\.env\\b|\\bprocess\\[["']env["']\\]|\\bBun\\.env\\b|\\bimport\\.meta\\.env\\b|\\bDeno\\.env\\b|%ENV\\b|\\$_(?:ENV|SERVER)\\b|(?<![\\w$%{])ENV\\b|\\bENVIRON\\b|::env\\b)`;
/** A quoted name, a bare one in braces, and a bytes literal. */
const NAME = `b?["'\`]?([A-Za-z_]\\w*)["'\`]?`;
/** Expressions whose value is one variable. */
const ONE = [
  `${WHOLE}\\s*(?:\\?\\.)?\\[\\s*:?${NAME}\\s*\\]`,
  `(?:process|Bun|import\\.meta)\\.env\\??\\.([A-Za-z_]\\w*)`,
  `${WHOLE}\\s*\\.\\s*(?:get|fetch|pop|setdefault|__getitem__)\\s*\\(?\\s*${NAME}`,
  `\\$ENV\\{\\s*${NAME}\\s*\\}`,
  `\\b(?:os\\.)?(?:getenvb?|get_env|getEnv|env::var|LookupEnv|Getenv|GetEnvironmentVariable)!?\\s*\\(?\\s*${NAME}`,
  `\\bSys\\.getenv\\(\\s*${NAME}`,
  `\\$env:([A-Za-z_]\\w*)`,
  `\\$(?:::)?env\\(([A-Za-z_]\\w*)\\)`,
  `\\(\\s*getenv\\s+${NAME}`,
].join('|');
/** Tests for presence, counts and lists of names, assignments, and environments for other programs. */
const HARMLESS = new RegExp(
  [
    `["'][A-Za-z_]\\w*["']\\s+(?:not\\s+)?in\\s+${WHOLE}`,
    `\\b(?:bool|Boolean|len|isset|empty|sorted|list|set|count|exists|defined)\\s*\\(?\\s*(?:dict\\()?(?:${ONE}|${WHOLE}(?!\\s*[.[]))`,
    `!+\\s*(?:${ONE})`,
    `(?:${ONE})\\)?\\s*(?:is\\s+(?:not\\s+)?None|[!=]==?\\s*(?:undefined|null|nil|None|["']["']|["'][\\w-]{0,20}["'])|\\?(?![.?]))`,
    `(?:${ONE})\\)?\\??\\.(?:length|size|nil\\?|empty\\?)`,
    `(?:${ONE})\\s*(?:\\|\\|)?=(?![=>])\\s*`,
    `\\bObject\\.keys\\(\\s*${WHOLE}\\s*\\)|\\bkeys\\s*\\(?\\s*%ENV\\)?|${WHOLE}\\.(?:keys|size|length|key\\?|has_key\\?|include\\?|update|each_key|delete|clear|has)\\b`,
    `\\*\\*\\s*${WHOLE}|\\.\\.\\.\\s*${WHOLE}|\\benv\\s*[:=]\\s*(?:dict\\(\\s*|Object\\.assign\\(\\s*\\{\\s*\\}\\s*,\\s*|\\{\\s*\\.\\.\\.)?${WHOLE}(?!\\s*[.[])(?:\\.copy\\(\\))?`,
    `(?:\\b(?:if|unless|elif|and|or|while)|&&|\\|\\|)\\s*\\(?\\s*(?:not\\s+|!)?(?:${ONE})\\)?(?=\\s*(?:else|then|and|or|[:;){\\n]|&&|\\|\\||$))`,
    `\\bimport\\s+environ\\b(?!\\s+as)|\\bfrom\\s+os\\s+import\\s+[\\w, ]*`,
    `\\bunset\\b[^;\\n]{0,60}`,
    // A key that a client gets as a parameter or as a header.
    `\\b\\w*(?:key|token|secret|password|auth|credentials?|authorization)["']?\\s*[:=]\\s*(?:${ONE})["']?\\]?\\)?(?=\\s*[,)}])`,
    `\\b(?:Bearer|Basic|token|bot)\\b[\\s"'\`+.,%(&$#{]{1,8}(?:${ONE})`,
  ].join('|'),
  'gi',
);
const ONE_VARIABLE = new RegExp(ONE, 'g');
const WHOLE_ENVIRONMENT = new RegExp(
  [
    `${WHOLE}(?!\\s*(?:\\?\\.|\\[|\\.(?!\\s*(?:copy|items|values|to_h|to_a|to_s|inspect|map|each|toObject|sort|select|filter|find|collect|__(?:dict|str|repr|iter|getitem)\\w*|_data)\\b)|\\())`,
    '\\bgetenv\\(\\s*\\)|\\bget_env\\(?\\s*\\)|\\bSys\\.getenv\\(\\s*\\)|\\bphpinfo\\(|\\bos\\.Environ\\(\\)|\\bstd::env::vars\\b|\\bSystem\\.getenv\\(\\s*\\)|\\bparray\\s+(?:::)?env\\b|\\barray get (?:::)?env\\b|\\bprocess-environment\\b|\\b(?:Get-ChildItem|Get-Item|gci|dir|ls|gi)\\s+[eE]nv:|\\bGetEnvironmentVariables\\(',
  ].join('|'),
);
/** An index that is known only at run time. */
const COMPUTED_NAME = new RegExp(
  `${WHOLE}\\s*\\[\\s*(?!:?b?["'\`])[\\w$]|\\$ENV\\{\\s*\\$|${WHOLE}\\.(?:get|fetch)\\(\\s*[a-z]\\w*\\s*[,)]|\\bgetenv\\(\\s*[$a-z]`,
);
/** `{ A, B } = process.env`. */
const DESTRUCTURED = /\{([^{}]{1,300})\}\s*=\s*(?:process|Bun)\.env\b/g;
/** Variables that the code sets itself. */
const ASSIGNS = new RegExp(`(?:${ONE})\\s*=(?!=)`, 'g');
const MENTIONS = /env|_SERVER\b|phpinfo/i;

/** The environment variables that code uses as values, apart from tests for presence and keys given to a client. */
export function variablesInCode(code: string): string[] {
  if (!MENTIONS.test(code)) return [];
  const text = spellAlias(code.replace(/(["'`])\s*\+\s*\1/g, ''));
  const destructured = [...text.matchAll(DESTRUCTURED)].flatMap((found) =>
    (found[1] ?? '').split(',').map((part) => part.split(/[:=]/)[0]?.trim() ?? ''),
  );
  const rest = text.replace(DESTRUCTURED, ' ').replace(HARMLESS, ' ');
  const names = [...rest.matchAll(ONE_VARIABLE)].map((found) => found.slice(1).find((one) => one !== undefined) ?? '');
  const left = rest.replace(ONE_VARIABLE, ' ');
  const whole = WHOLE_ENVIRONMENT.test(left) || COMPUTED_NAME.test(left) || COMPUTED_NAME.test(rest);
  return [...destructured, ...names, ...(whole ? [ANY_VARIABLE] : [])];
}

/** All environment variables that code names, for any purpose. */
export function variablesNamed(code: string): string[] {
  if (!MENTIONS.test(code)) return [];
  const text = spellAlias(code.replace(/(["'`])\s*\+\s*\1/g, ''));
  const names = [...text.matchAll(ONE_VARIABLE)].map((found) => found.slice(1).find((one) => one !== undefined) ?? '');
  const assigned = [...text.matchAll(ASSIGNS)].map((found) => found.slice(1).find((one) => one !== undefined) ?? '');
  return names.filter((name) => !assigned.includes(name));
}

/** Undoes `from os import environ as e` and `const e = process.env`. */
function spellAlias(given: string): string {
  const destructured =
    /\{\s*env\s*\}\s*(?:=\s*(?:process|require\(['"](?:node:)?process['"]\))|from\s*['"](?:node:)?process['"])/;
  const code = destructured.test(given)
    ? given.replace(destructured, ' ').replace(/(?<![\w.])env(?=\s*[.[),;])/g, 'process.env')
    : given;
  const alias =
    /\bimport\s+environ\s+as\s+(\w+)/.exec(code)?.[1] ??
    /\b(\w+)\s*=\s*(?:process\.env|os\.environ)\s*(?=[;\n])/.exec(code)?.[1];
  if (alias === undefined) return code;
  return code
    .replace(/\bimport\s+environ\s+as\s+\w+|\b\w+\s*=\s*(?:process\.env|os\.environ)\s*(?=[;\n])/, ' ')
    .replace(new RegExp(`(?<![\\w.])${alias}(?=\\s*[[.)])`, 'g'), 'os.environ');
}
