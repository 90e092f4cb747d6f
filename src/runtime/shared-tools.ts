import { builtInTools } from '../toolbox/index.ts';
import { rememberCompanies, type StockOptions } from '../tools/index.ts';

/** The built-in tools as all agents of a program have them: they keep nothing of an agent. */
export type SharedTools = Required<Pick<StockOptions, 'tools' | 'forCompany'>>;

export function shareTools(): SharedTools {
  return { tools: builtInTools(), forCompany: rememberCompanies() };
}
