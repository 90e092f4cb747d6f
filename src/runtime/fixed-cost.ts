import type { Settings } from '../config/index.ts';
import type { PromptLayer } from '../prompt/index.ts';
import { describeOffer } from './describe-offer.ts';

/** What every call to a model carries before a word was said. */
export type FixedCost = {
  system: PromptLayer[];
  /** The definition of each tool as it is sent, without the frame that an API mode puts around it. */
  tools: PromptLayer[];
  /** What was left out, and why. */
  warnings: string[];
};

export async function measureFixedCost(
  settings: Settings,
  options: { workingDirectory: string; toolsets?: readonly string[] | undefined },
): Promise<FixedCost> {
  const { model = 'model', provider = 'provider' } = settings.model;
  const offer = await describeOffer(settings, { ...options, model, provider });
  const tools = offer.definitions.map((tool) => ({ name: tool.name, text: JSON.stringify(tool) }));
  return { system: offer.layers, tools, warnings: offer.warnings };
}
