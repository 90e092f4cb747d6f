type Family = { names: readonly string[]; text: string };

/** What some models need to be told, by parts of their names; the first that fits counts. Others need nothing. */
const FAMILIES: readonly Family[] = [
  {
    names: ['gpt', 'codex', 'o1', 'o3', 'o4'],
    text: 'Go on until the task is done. A plan, a question that a tool can answer, or the word that you will now do something is no end of a turn. When a call fails, find out why and try another way before you give up.',
  },
  {
    names: ['gemini', 'gemma'],
    text: 'Read a file before you write code that relies on it. Never state what a command would print: run it. Give commands flags that keep them from asking.',
  },
  {
    names: ['grok', 'glm', 'qwen', 'deepseek', 'kimi', 'minimax', 'llama', 'mistral', 'hermes', 'nemotron', 'phi'],
    text: 'Use a tool by calling it; a call that is written into the answer does nothing. The word that you will do something and the call that does it belong in one message. Never state a result that no tool gave you.',
  },
];

export function modelGuidanceLayer(model: string, toolNames: readonly string[]): string {
  if (toolNames.length === 0) return '';
  // The name of a gateway or a maker may come first: `openrouter/openai/gpt-5`.
  const name = model.toLowerCase().split('/').at(-1) ?? '';
  return FAMILIES.find(({ names }) => names.some((part) => hasPart(name, part)))?.text ?? '';
}

/** At the beginning of a part of the name: `o3` is not in `turbo3`. */
function hasPart(name: string, part: string): boolean {
  const at = name.indexOf(part);
  return at === 0 || (at > 0 && !/[a-z0-9]/.test(name[at - 1] as string));
}
