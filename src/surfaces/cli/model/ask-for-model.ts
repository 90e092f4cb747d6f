import * as prompts from '@clack/prompts';
import type { Settings } from '../../../config/index.ts';
import type { CatalogueModel } from '../../../providers/index.ts';
import { type ChosenModel, describeFacts, listChoices } from '../../../runtime/models/index.ts';
import { counted } from '../../text/counted.ts';
import { textWidth } from '../../text/text-width.ts';
import { showable } from '../style.ts';
import { answered } from './questions.ts';

const MODELS_SHOWN = 12;
const LONGEST_NAME = 60;

/** A model of the list, or one whose name is typed; the one in use comes first. */
export async function askForModel(
  settings: Settings,
  draft: ChosenModel,
  current: string | undefined,
): Promise<string> {
  const models = await findModels(settings, draft);
  const usual = current ?? draft.provider.defaultModel;
  if (models.length === 0) return typeName(usual);
  const sorted = [...models.filter(({ id }) => id === usual), ...models.filter(({ id }) => id !== usual)];
  const width = Math.min(LONGEST_NAME, Math.max(...sorted.map(({ id }) => textWidth(showable(id)))));
  const offered = sorted.map((model) => ({ value: model.id, label: labelOf(model, current, width) }));
  return answered(
    await prompts.autocomplete({
      message: 'Which model?',
      placeholder: 'type to search, or a name',
      maxItems: MODELS_SHOWN,
      options() {
        return fitting(offered, this.userInput.trim());
      },
    }),
  );
}

type Offered = { value: string; label: string };

/** What has all the words that were typed; what was typed itself is offered where it is no name of the list. */
function fitting(offered: readonly Offered[], typed: string): Offered[] {
  if (typed === '') return [...offered];
  const words = typed.toLowerCase().split(/\s+/);
  const found = offered.filter(({ value }) => words.every((word) => value.toLowerCase().includes(word)));
  const isName = words.length === 1 && !found.some(({ value }) => value === typed);
  return isName ? [...found, { value: typed, label: `use "${showable(typed)}" all the same` }] : found;
}

function labelOf({ id, facts }: CatalogueModel, current: string | undefined, width: number): string {
  const name = showable(id);
  const about = [describeFacts(facts), id === current ? 'in use' : undefined].filter(Boolean).join(', ');
  return about === '' ? name : `${name}${' '.repeat(Math.max(0, width - textWidth(name)))}  ${about}`;
}

async function findModels(settings: Settings, draft: ChosenModel): Promise<CatalogueModel[]> {
  prompts.log.step('Asking which models there are …');
  const models = await listChoices(settings, draft);
  prompts.log.info(describeList(models));
  return models;
}

function describeList(models: readonly CatalogueModel[]): string {
  if (models.some(({ listed }) => listed)) return counted(models.length, 'model');
  return models.length > 0
    ? 'The endpoint does not say which models it has; these are known of it.'
    : 'The endpoint lists no model that could be used: load or enable one there, and type its name here.';
}

async function typeName(usual: string | undefined): Promise<string> {
  const typed = await prompts.text({
    message: 'The name of the model',
    placeholder: usual,
    defaultValue: usual,
    validate: (value) =>
      /\s/.test(value?.trim() ?? '') ? 'It is one word.' : value?.trim() || usual ? undefined : 'It needs a name.',
  });
  return answered(typed).trim();
}
