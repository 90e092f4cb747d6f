const MAX_DICE = 100;

/** @param {import('hermes-agent-ts').Host} host */
export async function register(host) {
  const { randomInt } = await import('node:crypto');
  host.registerTool({
    name: 'throw_dice',
    description: 'Roll six-sided dice and return the results.',
    parameters: {
      type: 'object',
      properties: { count: { type: 'integer', description: 'Number of dice.', minimum: 1, maximum: MAX_DICE } },
      required: ['count'],
    },
    outsideText: false,
    async run({ count }) {
      const dice = Number(count);
      // The model gets the message of a thrown error.
      if (!(dice >= 1 && dice <= MAX_DICE)) throw new Error(`count must be between 1 and ${MAX_DICE}.`);
      return Array.from({ length: dice }, () => randomInt(1, 7));
    },
  });
}
