/** Words that make the name of a variable one of a secret, where they stand by themselves. */
const SECRET_WORD =
  /(?:^|_)(?:API_?KEY|APIKEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|PAT|PRIVATE_KEY|ACCESS_KEY|AUTH)(?:_(?:ID|B64|BASE64|V?\d+))?$/;
/** Of those the ones that name no secret. */
const NO_SECRET =
  /(?:PUBLIC|KEY_ID|SSH_AUTH|PRIMARY|FOREIGN|SORT|CACHE|PARTITION|PUBLISHABLE|NEXT_PUBLIC|MAX|NUM)_|^(?:KEY|PASS|AUTH)$/;

/** Whether a variable of this name holds a secret by all appearances. */
export function isSecretVariable(name: string): boolean {
  return SECRET_WORD.test(name) && !NO_SECRET.test(name);
}

/** The variables with secrets that a text puts in, by name; their length or presence is none. */
export function secretVariablesIn(text: string): string[] {
  return [...text.matchAll(/\$\{?([A-Z_][A-Z\d_]*)(?![A-Za-z\d_])(?!:?\+)/g)]
    .map((found) => found[1] ?? '')
    .filter(isSecretVariable);
}
