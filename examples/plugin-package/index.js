const MAX_DICE = 100;

/** @param {import('hermes-agent-ts').Host} host */
export async function register(host) {
  const { randomInt } = await import('node:crypto');
  host.registerTool({
    name: 'throw_dice',
    description: 'Throws dice with six sides and says what came up.',
    parameters: {
      type: 'object',
      properties: { count: { type: 'integer', description: 'how many', minimum: 1, maximum: MAX_DICE } },
      required: ['count'],
    },
    outsideText: false,
    async run({ count }) {
      const dice = Number(count);
      // What is thrown is what the model reads.
      if (!(dice >= 1 && dice <= MAX_DICE)) throw new Error(`1 to ${MAX_DICE} dice can be thrown.`);
      return Array.from({ length: dice }, () => randomInt(1, 7));
    },
  });
}
