/** Reads and checks the inputs of action.yml. Every value arrives as text. */
export function readInputs(env) {
  const text = (name) => (env[`INPUT_${name}`] ?? '').trim();
  const flag = (name, standard) => {
    const value = text(name).toLowerCase() || String(standard);
    if (value !== 'true' && value !== 'false') throw new Error(`${inputName(name)} must be true or false.`);
    return value === 'true';
  };
  const number = (name, standard, most) => {
    const value = text(name) === '' ? standard : Number(text(name));
    if (!(value > 0 && value <= most)) throw new Error(`${inputName(name)} must be a number above 0, at most ${most}.`);
    return value;
  };
  if (text('PROMPT') === '') throw new Error('The input `prompt` is required.');
  return {
    prompt: text('PROMPT'),
    model: text('MODEL'),
    provider: text('PROVIDER'),
    baseUrl: text('BASE_URL'),
    maxTurns: Math.ceil(number('MAX_TURNS', 30, 1000)),
    maxUsd: number('MAX_USD', 1, 10_000),
    maxMinutes: number('MAX_MINUTES', 15, 360),
    toolsets: text('TOOLSETS') || 'file',
    write: flag('WRITE', false),
    projectInstructions: flag('PROJECT_INSTRUCTIONS', false),
    pullRequest: flag('PULL_REQUEST', true),
    maxDiffCharacters: number('MAX_DIFF_CHARACTERS', 200_000, 5_000_000),
    outputSchema: text('OUTPUT_SCHEMA'),
    workingDirectory: text('WORKING_DIRECTORY') || '.',
    fail: flag('FAIL', true),
    command: text('COMMAND'),
  };
}

function inputName(name) {
  return `The input \`${name.toLowerCase().replaceAll('_', '-')}\``;
}
