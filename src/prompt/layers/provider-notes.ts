/** What the model has to know about the service it is reached through. */
const NOTES: Readonly<Record<string, string>> = {
  'copilot-acp': 'You are reached through the Copilot command. Use only the tools named here, not its own.',
};

/** Services whose models are told a wrong name for themselves, or none. */
const MISNAMED = ['alibaba', 'alibaba-coding-plan', 'qwen-oauth'];

export function providerLayer(provider: string): string {
  return NOTES[provider] ?? '';
}

export function workaroundLayer({ provider, model }: { provider: string; model: string }): string {
  return MISNAMED.includes(provider) ? `Asked which model you are, say ${model}, whatever else you were told.` : '';
}
