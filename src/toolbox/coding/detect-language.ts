export type CodeLanguage = 'javascript' | 'python';

/** What only one of the two has, as lines begin or end. */
const PYTHON: readonly RegExp[] = [
  /^\s*from\s+[\w.]+\s+import\s/m,
  /^\s*import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+)*\s*(?:#.*)?$/m,
  /^\s*(?:async\s+)?def\s+\w+\s*\(.*$/m,
  /^\s*(?:if|elif|else|for|while|with|try|except|finally|class)\b[^{}]*:\s*(?:#.*)?$/m,
  /^\s*print\s*\(/m,
  /^\s*#(?!!.*node)/m,
];
const JAVASCRIPT: readonly RegExp[] = [
  /^\s*(?:const|let|var)\s+[\w{[]/m,
  /^\s*import\s+(?:[\w*{][^\n]*\sfrom\s+)?['"]/m,
  /=>|\bconsole\.\w+\s*\(|\brequire\s*\(|\bawait\s+tools\.|;\s*$/m,
  /^\s*(?:async\s+)?function\b|^\s*\/\//m,
  /[{}]\s*$/m,
];

/** Which language a script is written in; JavaScript where nothing speaks for the other, because it is always there. */
export function detectLanguage(code: string): CodeLanguage {
  const count = (signs: readonly RegExp[]) => signs.filter((sign) => sign.test(code)).length;
  return count(PYTHON) > count(JAVASCRIPT) ? 'python' : 'javascript';
}
